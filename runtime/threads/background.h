// Work on other threads: that is waited for, that no caller waits for, and the end of both.
#pragma once

#include "models/base/fork.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

namespace specmv {

// --- Ending --------------------------------------------------------------------------------------

// Tells that work on another thread has ended, and lets threads wait for that. A forked child has
// none of the threads of its parent, so it waits for none.

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

// --- Background ----------------------------------------------------------------------------------

// Runs work on a thread of its own, which is cancelled and waited for before the process ends.

class Background {
public:
  // Must not throw. It may look at `cancelled` and end early.
  using Work = std::function<void(const std::atomic<bool> &cancelled)>;
  // Runs the work before it returns if no thread can be started. `wake` is called whenever the work
  // is cancelled, for work that waits for something; it must not throw.
  explicit Background(Work work, void (*wake)() = nullptr);
  Background(const Background &) = delete;
  Background &operator=(const Background &) = delete;
  ~Background(); // cancels and waits

  // Returns true if the work has ended; its results can then be read.
  bool isDone() const;
  // Returns true if the work never ends here, because this process was forked from the one that
  // runs it. It then counts as done, but its results may be incomplete.
  bool isLost() const;
  void cancel();
  void wait();
  // Waits at most this long; returns true if the work has ended.
  bool waitFor(std::chrono::milliseconds time);

private:
  struct State;
  struct Registry;
  static Registry &registry();
  static void endAll();
  struct EndOfMain;
  bool start();
  friend void endBackgroundFirst();
  friend void endBackgroundWithMain();
  // Keeps the library loaded. Waiting for the work while the library is unloaded could deadlock:
  // the loader's lock is held then, and the work may need it to open a library.
  std::shared_ptr<void> loaded_;
  std::shared_ptr<State> state_;
};

// Handlers of exit() and destructors of statics run in the reverse order of their registration. Our
// own statics stay (models/base/lasting.h), those of other libraries do not. Call this after
// opening a library that background work may use: the handler that ends this work then runs before
// those of the library.
void endBackgroundFirst();

// Call it on the main thread; it does nothing on others. The end of that thread, and with it of the
// process, then ends background work and waits for compilations of other threads before any handler
// runs, including handlers that NVRTC registers in its first compilation.
void endBackgroundWithMain();
// Returns true if that was arranged in this process.
bool backgroundEndsWithMain();

// --- Behind --------------------------------------------------------------------------------------

// Runs work that no caller waits for, such as writing a choice to disk. One thread of low priority
// runs one piece after another; it ends after a while without work.

// Selects what happens to work that has not begun when the process ends.
enum class AtEnd { skipped, done };

// Returns at once. Exceptions of the work are swallowed. `ends` becomes true when the process ends;
// then the work must not call the program any more. If no thread can be started, runs the work
// before it returns.
void doBehind(std::function<void(const std::atomic<bool> &ends)> work, AtEnd atEnd);

// Frees the rest of a thread that has ended. Call it now and then, since the library cannot be
// unloaded before.
void tidyBehind();
// Does the same, and first ends the thread at once if it has nothing to do.
void endIdleBehind();

} // namespace specmv
