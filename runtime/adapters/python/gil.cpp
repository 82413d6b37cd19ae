// Takes the GIL back where that may end the thread, and counts calls that use a GPU.
#include "runtime/adapters/python/gil.h"

#include "runtime/adapters/python/turns.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <unistd.h>

namespace specmv_python {

void sleepForGood() {
  for (;;)
    pause();
}

WithoutGil::~WithoutGil() {
  sleepingAtEnd([&] {
    PyEval_RestoreThread(state_);
    return true;
  });
}

static std::atomic<int> callsOnGpu = 0;

GpuCall::GpuCall(bool usesGpu) : usesGpu_(usesGpu) { callsOnGpu += usesGpu_ ? 1 : 0; }

GpuCall::~GpuCall() { callsOnGpu -= usesGpu_ ? 1 : 0; }

// A forked child has none of the threads, and cannot use a GPU.
static void waitForCalls() {
  constexpr std::chrono::milliseconds kOften(1);
  while (callsOnGpu > 0 && forks() == 0)
    std::this_thread::sleep_for(kOften);
}

// If Python has no room for one more function, the process does not wait.
void GpuCall::letExitWait() { (void)Py_AtExit(waitForCalls); }

} // namespace specmv_python
