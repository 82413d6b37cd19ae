// Tells that work on another thread has ended, and lets threads wait for that. A forked child has
// none of the threads of its parent, so it waits for none.
#pragma once

#include "models/base/fork_mutex.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace specmv {

class Ending {
public:
  // The work has ended, and its results can be read. Call it once.
  void end() {
    if (isElsewhere())
      return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      isDone_.store(true, std::memory_order_release);
    }
    ended_.notify_all();
  }
  // Returns true if the work has ended, or never ends here.
  bool isOver() const { return isDone_.load(std::memory_order_acquire) || isElsewhere(); }
  // Returns true if this process was forked from the one that does the work. What the work was
  // changing must not even be destroyed then.
  bool isElsewhere() const { return forks_ != ForkMutex::forks(); }
  // Returns true if the work never ends here. Its results may be incomplete.
  bool isLost() const { return isElsewhere() && !isDone_; }

  void wait() {
    if (isOver()) // also if another process has the thread, and perhaps the mutex
      return;
    std::unique_lock<std::mutex> lock(mutex_);
    ended_.wait(lock, [&] { return isOver(); });
  }
  // Waits at most this long; returns true if the work has ended.
  bool waitFor(std::chrono::milliseconds time) {
    if (isOver())
      return true;
    std::unique_lock<std::mutex> lock(mutex_);
    return ended_.wait_for(lock, time, [&] { return isOver(); });
  }

private:
  std::atomic<bool> isDone_{false};
  std::mutex mutex_; // for the condition
  std::condition_variable ended_;
  const unsigned forks_ = ForkMutex::forks();
};

} // namespace specmv
