// What NVIDIA says of a GPU, in a data sheet or through the driver: by these numbers the rates of a
// GPU that was measured are scaled to one that was not (models/gpus/borrow.h).
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace specmv {

// What an SM has; the same in all GPUs of an architecture.
struct SmSheet {
  int64_t threads = 0;
  int64_t sharedBytesPerBlock = 0; // at most
  int64_t l1Bytes = 0;             // L1 and shared memory together
  int64_t cores = 0;
  double intShare = 0, doubleShare = 0; // results a clock, where single precision has 1
};

struct GpuSheet {
  std::string name; // "a100"
  std::string arch; // "sm_80"
  int64_t sms = 0;
  double clockGHz = 0; // the boost clock
  int64_t busBits = 0;
  double memoryClockGHz = 0; // of a memory with two transfers a clock
  int64_t l2Bytes = 0;
  double pcieGBs = 0; // one direction
  SmSheet sm;
};

// GB/s of a memory with two transfers a clock.
double peakGBs(int64_t busBits, double memoryClockGHz);

// The GPU that stands for an architecture ("sm_80"): the data sheet of its own, else that of the
// next older architecture, else the oldest; in each case named as it is, under this architecture.
GpuSheet sheetOf(llvm::StringRef arch);

// The sheet with what it lacks (numbers that are 0) from the GPU that stands for its architecture.
GpuSheet completed(GpuSheet sheet);

} // namespace specmv
