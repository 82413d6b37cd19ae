// Runs work on threads, and ends them when the process exits or after a while without work.
#include "runtime/threads/background.h"

#include "models/base/fork.h"
#include "models/base/lasting.h"
#include "models/base/own_environment.h"
#include "models/base/parallel.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/cuda/places.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace specmv {

// --- Background ----------------------------------------------------------------------------------

// Runs work on threads, and ends them when the process exits; the library stays loaded until then.

struct Background::State {
  Work work;
  void (*wake)() = nullptr;
  std::atomic<bool> cancelled{false};
  std::mutex mutex; // guards the thread, which both its owner and the exit handler may join
  OwnThread thread = {};
  Ending ending = {};

  static void destroy(State *state) {
    if (!state->ending.isElsewhere())
      delete state;
  }

  void cancel() {
    cancelled = true;
    if (wake && !ending.isElsewhere())
      wake();
  }
  void run() {
    work(cancelled);
    work = nullptr; // its captures must be gone when the wait ends
    ending.end();
  }
  // Does nothing on the thread itself, which ends the process if all other threads have ended.
  void join() {
    if (ending.isElsewhere() || thread.isThisThread())
      return;
    const std::lock_guard<std::mutex> lock(mutex);
    if (thread.joinable())
      thread.join();
  }
};

// The work that was started and not yet destroyed.
struct Background::Registry {
  ForkMutex mutex; // guards `all` and `isEnding`
  std::set<std::shared_ptr<State>> all;
  bool isEnding = false; // the process exits: start no more threads
  // The process of the latest work, 0 before: a forked child has none of the threads.
  std::atomic<pid_t> process{0};
};

// Plans may end after the destructors of statics. It owns no memory, so nothing leaks when the
// library is unloaded.
Background::Registry &Background::registry() {
  static Undying<Registry> all;
  return *all;
}

void Background::endAll() {
  std::set<std::shared_ptr<State>> all;
  if (getpid() == registry().process) { // otherwise the threads belong to another process
    const std::lock_guard lock(registry().mutex);
    registry().isEnding = true;
    all.swap(registry().all);
  }
  for (const auto &state : all)
    state->cancel();
  endCompilations(); // including those of other threads
  for (const auto &state : all)
    state->join();
}

// If there is no memory for one more handler, an earlier one still ends the work.
void endBackgroundFirst() { std::atexit(Background::endAll); }

// In its first compilation NVRTC registers handlers, which would run before ours and destroy what
// that compilation uses. But before any handler, glibc destroys the thread-local objects of the
// exiting thread. That thread is nearly always the main one, whose end is the end of the process.
struct Background::EndOfMain {
  ~EndOfMain() { endAll(); }
};

// Returns false if there is too little memory to register the destructor of a thread-local object,
// in which case glibc would end the process. It needs 32 bytes (derived: three pointers and the
// list's own), so being able to allocate this much is sufficient.
static bool canRegisterDestructor() {
  constexpr size_t kMoreThanEnough = 4096;
  void *const memory = std::malloc(kMoreThanEnough);
  const bool isThere = memory != nullptr;
  std::free(memory);
  return isThere;
}

static std::atomic<pid_t> endsWithMain{0}; // the process where a destructor is registered

// If no destructor can be registered, a handler of exit() ends the work.
void endBackgroundWithMain() {
  if (gettid() != getpid() || !canRegisterDestructor())
    return;
  static thread_local const Background::EndOfMain end;
  (void)end;
  endsWithMain = getpid();
}

// A program may use the library only on other threads. If the library is loaded at program start,
// this runs on the main thread. A library that is opened later must not do this before it is
// needed, since it could not be unloaded any more.
[[gnu::constructor]] static void watchEndOfMain() {
  if (isThereFromStart())
    endBackgroundWithMain();
}

bool backgroundEndsWithMain() { return endsWithMain == getpid(); }

Background::Background(Work work, void (*wake)())
    : loaded_(keepLoaded()), state_(new State, State::destroy) {
  state_->work = std::move(work);
  state_->wake = wake;
  endBackgroundWithMain();
  if (registry().process.exchange(getpid()) != getpid())
    endBackgroundFirst();
  if (!start())
    state_->run();
}

// Returns false if no thread can be started.
bool Background::start() {
  const std::lock_guard lock(registry().mutex);
  if (registry().isEnding)
    return false;
  registry().all.insert(state_);
  try {
    state_->thread = OwnThread([state = state_.get()] { state->run(); });
    return true;
  } catch (const std::system_error &) { // no more threads
  } catch (const std::bad_alloc &) {    // no memory for one
  }
  registry().all.erase(state_);
  return false;
}

Background::~Background() {
  cancel();
  wait();
  const std::lock_guard lock(registry().mutex);
  registry().all.erase(state_);
}

bool Background::isDone() const { return state_->ending.isOver(); }

bool Background::isLost() const { return state_->ending.isLost(); }

void Background::cancel() { state_->cancel(); }

void Background::wait() { state_->join(); }

bool Background::waitFor(std::chrono::milliseconds time) { return state_->ending.waitFor(time); }

// --- Behind --------------------------------------------------------------------------------------

// Hands work to a thread that ends after a while without work.

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
