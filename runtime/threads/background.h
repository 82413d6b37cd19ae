// Runs work on a thread of its own, which is cancelled and waited for before the process ends.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

namespace specmv {

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

} // namespace specmv
