// Runs work on threads, and ends them when the process exits; until then the library stays loaded.
#include "runtime/threads/background.h"

#include "models/base/fork_mutex.h"
#include "runtime/cuda/compilation.h"
#include "runtime/cuda/own_folder.h"

#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace specmv {

struct Background::State {
  Work work;
  void (*wake)() = nullptr;
  std::atomic<bool> cancelled{false}, done{false};
  std::mutex mutex; // guards the thread, which its owner and the exit both may join
  std::thread thread = {};
  std::mutex endMutex = {}; // for those who wait for `done` with a limit
  std::condition_variable ended = {};
  const unsigned forks = ForkMutex::forks();

  // Whether the thread is that of a process from which this one was forked. What it was changing
  // must then not even be destroyed.
  bool isElsewhere() const { return forks != ForkMutex::forks(); }
  bool isLost() const { return isElsewhere() && !done; }
  static void destroy(State *state) {
    if (!state->isElsewhere())
      delete state;
  }

  void cancel() {
    cancelled = true;
    if (wake && !isElsewhere())
      wake();
  }
  void run() {
    work(cancelled);
    work = nullptr; // what it holds must not outlive the wait for it
    {
      const std::lock_guard<std::mutex> lock(endMutex);
      done.store(true, std::memory_order_release);
    }
    ended.notify_all();
  }
  // Nothing on the thread itself, which ends the process if all others have ended.
  void join() {
    if (isElsewhere() || thread.get_id() == std::this_thread::get_id())
      return;
    const std::lock_guard<std::mutex> lock(mutex);
    if (thread.joinable())
      thread.join();
  }
};

// What has been started and not been destroyed.
struct Background::Registry {
  ForkMutex mutex; // guards `all` and `isEnding`
  std::set<std::shared_ptr<State>> all;
  bool isEnding = false; // the process exits: no thread is started any more
  // That of the last work, 0 before: a forked child has none of the threads.
  std::atomic<pid_t> process{0};
};

// Never destroyed, since plans may end after the destructors of statics; and without memory of its
// own, which would be lost when the library is unloaded.
Background::Registry &Background::registry() {
  alignas(Registry) static std::byte memory[sizeof(Registry)];
  static std::once_flag isMade; // which a child makes anew that was forked meanwhile
  std::call_once(isMade, [] { new (memory) Registry; });
  return *std::launder(reinterpret_cast<Registry *>(memory));
}

void Background::endAll() {
  std::set<std::shared_ptr<State>> all;
  if (getpid() == registry().process) { // else the threads are those of another process
    const std::lock_guard lock(registry().mutex);
    registry().isEnding = true;
    all.swap(registry().all);
  }
  for (const auto &state : all)
    state->cancel();
  endCompilations(); // also those of threads that are not ours
  for (const auto &state : all)
    state->join();
}

// Without memory for one more handler, an earlier one ends the work, as well as it can.
void endBackgroundFirst() { std::atexit(Background::endAll); }

// NVRTC registers handlers while it compiles for the first time, which would run before ours and
// take away what that compilation uses. But glibc destroys the thread-local objects of the thread
// that exits before it runs any handler. That thread is nearly always the main one, whose end is
// the end of the process.
struct Background::EndOfMain {
  ~EndOfMain() { endAll(); }
};

// Returns false if memory is too short to register the destructor of a thread-local object, where
// glibc would end the process. It needs 32 bytes (derived: three pointers and the list's own), for
// which so much that is free again will do.
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

// A program may well use the library on other threads alone. If it has the library from its start,
// this runs on its main thread. A library that was opened later must not do this before it has to,
// since it could not be unloaded any more.
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

// False if no thread can be started.
bool Background::start() {
  const std::lock_guard lock(registry().mutex);
  if (registry().isEnding)
    return false;
  registry().all.insert(state_);
  try {
    state_->thread = std::thread([state = state_.get()] { state->run(); });
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

bool Background::isDone() const {
  return state_->done.load(std::memory_order_acquire) || state_->isElsewhere();
}

bool Background::isLost() const { return state_->isLost(); }

void Background::cancel() { state_->cancel(); }

void Background::wait() { state_->join(); }

bool Background::waitFor(std::chrono::milliseconds time) {
  if (isDone()) // and where another process has the thread, and perhaps the mutex
    return true;
  std::unique_lock<std::mutex> lock(state_->endMutex);
  return state_->ended.wait_for(lock, time, [&] { return isDone(); });
}

} // namespace specmv
