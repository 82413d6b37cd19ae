// Runs work on threads, and ends them when the process exits; the library stays loaded until then.
#include "runtime/threads/background.h"

#include "models/base/fork_mutex.h"
#include "models/base/lasting.h"
#include "models/base/own_thread.h"
#include "runtime/cuda/compilation.h"
#include "runtime/cuda/own_folder.h"
#include "runtime/threads/ending.h"

#include <cstdlib>
#include <mutex>
#include <set>
#include <system_error>
#include <unistd.h>

namespace specmv {

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

} // namespace specmv
