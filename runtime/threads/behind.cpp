// Hands work to a thread that ends after a while without work.
#include "runtime/threads/behind.h"

#include "models/base/fork_mutex.h"
#include "models/base/lasting.h"
#include "models/base/own_environment.h"
#include "runtime/threads/background.h"

#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace specmv {

// The time that the thread waits for more work. Starting a thread costs a set-up at least 0.1 ms
// (16 cores with an H200), waking it costs 5 us.
constexpr std::chrono::milliseconds kPatience(500);

namespace {
struct Task {
  Background::Work work;
  AtEnd atEnd;
};
enum class Thread : uint8_t {
  none,
  working, // it will look at the tasks once more
  waiting, // for tasks
};
struct Queue {
  ForkMutex mutex; // guards all of it
  std::list<Task> tasks;
  std::condition_variable_any changed; // notified of each event that threads wait for
  Thread thread = Thread::none;
  bool isToEnd = false; // the thread must not wait any more
  std::unique_ptr<Background> worker;
  unsigned forks = ForkMutex::forks(); // identifies the process that has the thread

  // Call it with the lock held. A forked child has neither the thread nor its work, and an object
  // on which a missing thread waits cannot even be destroyed.
  void renewInChild() {
    if (forks == ForkMutex::forks())
      return;
    forks = ForkMutex::forks();
    tasks.clear();
    new (&changed) std::condition_variable_any;
    thread = Thread::none;
    worker.reset();
  }
};
} // namespace

// Plans may be destroyed after the destructors of statics.
static Queue &queue() {
  static Undying<Queue> one;
  return *one;
}

// Returns the next task; nullopt if there is none and the thread should end.
static std::optional<Task> next(const std::atomic<bool> &ends, bool isOwnThread) {
  Queue &q = queue();
  std::unique_lock lock(q.mutex);
  if (isOwnThread && q.tasks.empty()) {
    q.thread = Thread::waiting;
    q.changed.wait_for(lock, kPatience, [&] { return !q.tasks.empty() || q.isToEnd || ends; });
  }
  if (q.tasks.empty()) {
    q.thread = Thread::none;
    q.changed.notify_all();
    return std::nullopt;
  }
  q.thread = Thread::working;
  std::optional<Task> task = std::move(q.tasks.front());
  q.tasks.pop_front();
  return task;
}

static void perform(const Task &task, const std::atomic<bool> &ends) noexcept {
  const OwnEnvironment own; // as in every call of the library
  try {
    task.work(ends);
  } catch (...) { // NOLINT: usually out of memory, and no caller waits
  }
}

// Runs the waiting tasks. If no thread could be started, this is the caller's thread, whose
// priority does not change.
static void workOff(const std::atomic<bool> &ends, pid_t caller) {
  constexpr int kNice = 10; // for this thread alone; a refusal does no harm
  const bool isOwnThread = gettid() != caller;
  if (isOwnThread)
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
  while (const std::optional<Task> task = next(ends, isOwnThread))
    if (!ends || task->atEnd == AtEnd::done)
      perform(*task, ends);
}

// Without the lock, cancelling could happen between checking `ends` and waiting.
static void wake() {
  Queue &q = queue();
  const std::lock_guard lock(q.mutex);
  q.changed.notify_all();
}

void doBehind(std::function<void(const std::atomic<bool> &)> work, AtEnd atEnd) {
  endBackgroundWithMain(); // even if another thread started the worker
  Queue &q = queue();
  std::unique_ptr<Background> former; // its thread has ended, or is about to
  {
    const std::lock_guard lock(q.mutex);
    q.renewInChild();
    q.tasks.push_back({std::move(work), atEnd});
    if (std::exchange(q.thread, Thread::working) != Thread::none) {
      q.changed.notify_all();
      return;
    }
    former = std::move(q.worker);
  }
  std::unique_ptr<Background> worker; // ends after unlocking
  try {
    worker = std::make_unique<Background>(
        [caller = gettid()](const std::atomic<bool> &ends) { workOff(ends, caller); }, wake);
  } catch (const std::bad_alloc &) {
    const std::atomic<bool> ends{false};
    workOff(ends, gettid());
    return;
  }
  // The old worker may have ended already, and another one may be working.
  const std::lock_guard lock(q.mutex);
  if (!q.worker || q.worker->isDone())
    std::swap(q.worker, worker);
}

void tidyBehind() {
  Queue &q = queue();
  std::unique_ptr<Background> former; // ends after unlocking
  const std::lock_guard lock(q.mutex);
  q.renewInChild();
  if (q.thread == Thread::none)
    former = std::move(q.worker);
}

void endIdleBehind() {
  Queue &q = queue();
  {
    std::unique_lock lock(q.mutex);
    q.renewInChild();
    q.isToEnd = true;
    q.changed.notify_all();
    q.changed.wait(lock, [&] { return q.thread != Thread::waiting; });
    q.isToEnd = false;
  }
  tidyBehind();
}

} // namespace specmv
