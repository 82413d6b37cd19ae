// Hands work to a thread that ends when there is none.
#include "runtime/threads/behind.h"

#include "models/base/c_locale.h"
#include "models/base/fork_mutex.h"
#include "runtime/threads/background.h"

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace specmv {

namespace {
struct Task {
  Background::Work work;
  AtEnd atEnd;
};
struct Queue {
  ForkMutex mutex; // guards all of it
  std::list<Task> tasks;
  bool isWorking = false; // there is a thread that will look at the tasks once more
  std::unique_ptr<Background> worker;
};
} // namespace

// The queue is never destroyed: plans may be destroyed after the destructors of statics.
static Queue &queue() {
  alignas(Queue) static std::byte place[sizeof(Queue)];
  static Queue &one = *new (place) Queue;
  return one;
}

// The next task; nullopt if there is none, and the thread then ends.
static std::optional<Task> next() {
  Queue &q = queue();
  const std::lock_guard lock(q.mutex);
  if (q.tasks.empty()) {
    q.isWorking = false;
    return std::nullopt;
  }
  std::optional<Task> task = std::move(q.tasks.front());
  q.tasks.pop_front();
  return task;
}

static void perform(const Task &task, const std::atomic<bool> &ends) noexcept {
  const CLocale locale; // as in a call of the library
  try {
    task.work(ends);
  } catch (...) { // NOLINT: memory has run out, as a rule, and nobody waits
  }
}

// Does the tasks that there are. Where no thread could be started, this is the thread of the
// caller, whose priority stays.
static void workOff(const std::atomic<bool> &ends, pid_t caller) {
  constexpr int kNice = 10; // of this thread alone; if it is refused, nothing is lost
  if (gettid() != caller)
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
  while (const std::optional<Task> task = next())
    if (!ends || task->atEnd == AtEnd::done)
      perform(*task, ends);
}

void doBehind(std::function<void(const std::atomic<bool> &)> work, AtEnd atEnd) {
  endBackgroundWithMain(); // also if the thread was started by another one
  Queue &q = queue();
  std::unique_ptr<Background> former; // whose thread has ended, or is about to
  {
    const std::lock_guard lock(q.mutex);
    q.tasks.push_back({std::move(work), atEnd});
    if (std::exchange(q.isWorking, true))
      return;
    former = std::move(q.worker);
  }
  std::unique_ptr<Background> worker; // ends without the lock
  try {
    worker = std::make_unique<Background>(
        [caller = gettid()](const std::atomic<bool> &ends) { workOff(ends, caller); });
  } catch (const std::bad_alloc &) {
    const std::atomic<bool> ends{false};
    workOff(ends, gettid());
    return;
  }
  // It may have ended already, and another one may work.
  const std::lock_guard lock(q.mutex);
  if (!q.worker || q.worker->isDone())
    std::swap(q.worker, worker);
}

void tidyBehind() {
  Queue &q = queue();
  std::unique_ptr<Background> former;
  const std::lock_guard lock(q.mutex);
  if (!q.isWorking)
    former = std::move(q.worker);
}

} // namespace specmv
