// Gives Python's lock (the GIL) away around calls that need no Python, also while the interpreter
// ends.
#pragma once

#include <nanobind/nanobind.h>

namespace specmv_python {

[[noreturn]] void sleepForGood();

// Calls a function of Python's C API that may take the GIL back, since it takes it or runs code of
// Python. Before Python 3.14, a thread that asks for the GIL while the interpreter ends is ended by
// pthread_exit(), which unwinds the stack and so would end the process in a handler or a destructor
// above. Such a thread sleeps here for good instead, as all do from 3.14 on. The call throws
// nothing itself. A handler could not tell, since none may begin for this inside that of another
// exception.
template <typename Call> auto sleepingAtEnd(Call call) {
  struct Guard {
    bool isBack = false;
    ~Guard() {
      if (!isBack)
        sleepForGood();
    }
  } guard;
  auto result = call();
  guard.isBack = true;
  return result;
}

// Releases the GIL in a scope.
class WithoutGil {
public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  WithoutGil(const WithoutGil &) = delete;
  WithoutGil &operator=(const WithoutGil &) = delete;
  ~WithoutGil();

private:
  PyThreadState *state_;
};

// A call that uses a GPU. CUDA's driver must not be shut down meanwhile, so the process ends after
// such calls of threads that nobody has joined. Make it without the GIL.
class GpuCall {
public:
  explicit GpuCall(bool usesGpu);
  GpuCall(const GpuCall &) = delete;
  GpuCall &operator=(const GpuCall &) = delete;
  ~GpuCall();
  // Lets the process wait for these calls when the interpreter has ended.
  static void letExitWait();

private:
  const bool usesGpu_;
};

} // namespace specmv_python
