// Counts the running uses of NVRTC, checks for them after a fork, and waits for them at the end of
// the process.
#include "runtime/cuda/compilation.h"

#include "models/base/fork_mutex.h"
#include "models/base/lasting.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <thread>

namespace specmv {

static thread_local int runningHere = 0; // this thread's part of `running_` below

namespace {
class Compilations {
public:
  NvrtcUse begin() {
    const std::lock_guard lock(mutex_);
    renewInChild();
    if (wereTorn_)
      return NvrtcUse::tornByFork;
    if (isForbidden_ || (ender_ && *ender_ != std::this_thread::get_id()))
      return NvrtcUse::tooLate;
    ++running_;
    ++runningHere;
    return NvrtcUse::allowed;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    --running_;
    --runningHere;
  }
  // Prevents other threads from starting to use NVRTC. Returns true if some still use it.
  bool keepOthersOut() {
    const std::lock_guard lock(mutex_);
    renewInChild();
    ender_ = std::this_thread::get_id();
    return running_ > runningHere;
  }
  void forbid() {
    const std::lock_guard lock(mutex_);
    isForbidden_ = true;
  }

private:
  // Call it with the lock held.
  void renewInChild() {
    if (forks_ == ForkMutex::forks())
      return;
    forks_ = ForkMutex::forks();
    wereTorn_ |= running_ > 0; // used by threads that this process does not have
    running_ = 0;
    runningHere = 0;
    ender_.reset();
  }

  ForkMutex mutex_; // guards the rest
  unsigned forks_ = ForkMutex::forks();
  int running_ = 0;
  bool wereTorn_ = false;
  std::optional<std::thread::id> ender_; // the thread that ends the process
  bool isForbidden_ = false;
};
} // namespace

// A handler of exit() uses it, which runs after the destructors when the library is unloaded. It
// owns no memory, so nothing leaks then.
static Compilations &compilations() {
  static Undying<Compilations> all;
  return *all;
}

Compilation::Compilation() : use_(compilations().begin()) {}

Compilation::~Compilation() {
  if (use_ == NvrtcUse::allowed)
    compilations().end();
}

void endCompilations() {
  constexpr std::chrono::milliseconds kOften(1); // a compilation takes 50 to 300
  while (compilations().keepOthersOut())
    std::this_thread::sleep_for(kOften);
}

void forbidCompilations() { compilations().forbid(); }

} // namespace specmv
