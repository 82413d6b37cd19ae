// Work on a thread of its own, which is asked to stop, and waited for, before the process ends.
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
  // Where no thread can be started, the work is done here before this returns. `wake` is called
  // whenever the work is cancelled, for work that waits for something else; it must not throw.
  explicit Background(Work work, void (*wake)() = nullptr);
  Background(const Background &) = delete;
  Background &operator=(const Background &) = delete;
  ~Background(); // cancels and waits

  // Whether the work has ended; what it wrote can then be read.
  bool isDone() const;
  // Whether it never ends here, because this process was forked from the one that does it. It then
  // counts as done, but what it wrote may be half written.
  bool isLost() const;
  void cancel();
  void wait();
  // The same for at most so long; whether the work has ended.
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
  // To wait for the work while the library is unloaded could last for good: the loader's lock is
  // held then, and the work may need it to open a library.
  std::shared_ptr<void> loaded_;
  std::shared_ptr<State> state_;
};

// At the end of the process, handlers run in the reverse order of their registration, and so do the
// destructors of statics. Our own statics stay (models/base/lasting.h), those of other libraries do
// not. To be called after a library was opened that background work may use: the handler that ends
// this work then runs before those of the library.
void endBackgroundFirst();

// On the main thread: its end, and with it the process, ends background work, and waits for the
// compilations of other threads, before any handler runs, also one that NVRTC registers while it
// compiles for the first time. Does nothing on others.
void endBackgroundWithMain();
// Tells whether that was arranged in this process.
bool backgroundEndsWithMain();

} // namespace specmv
