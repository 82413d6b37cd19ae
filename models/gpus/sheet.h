// The data that NVIDIA publishes about a GPU, in a data sheet or through the driver. These numbers
// scale the rates of a measured GPU to one that was not measured (models/gpus/borrow.h).
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace specmv {

// The data of an SM, which is the same in all GPUs of an architecture.
struct SmSheet {
  int64_t threads = 0;
  int64_t sharedBytesPerBlock = 0; // the maximum
  int64_t l1Bytes = 0;             // L1 and shared memory together
  int64_t cores = 0;
  double intShare = 0, doubleShare = 0; // results per clock, relative to single precision
};

struct GpuSheet {
  std::string name; // "a100"
  std::string arch; // "sm_80"
  int64_t sms = 0;
  double clockGHz = 0; // the boost clock
  int64_t busBits = 0;
  double memoryClockGHz = 0; // of a memory with two transfers per clock
  int64_t l2Bytes = 0;
  double pcieGBs = 0; // one direction
  SmSheet sm;
};

// GB/s of a memory with two transfers per clock.
double peakGBs(int64_t busBits, double memoryClockGHz);

// The sheet of the GPU that represents an architecture ("sm_80"): one of that architecture,
// otherwise of the next older one, otherwise of the oldest. It has that GPU's name and the
// requested architecture.
GpuSheet sheetOf(llvm::StringRef arch);

// The names of the GPUs that represent an architecture, and the sheet of the one with that name;
// nullopt if none has it.
std::vector<std::string> sheetNames();
std::optional<GpuSheet> sheetNamed(llvm::StringRef name);

// Returns true if both name one architecture, as "sm_90" and "sm_90a" do.
bool isSameArch(llvm::StringRef a, llvm::StringRef b);

// Returns true if kernels can be launched before the work in front of them has ended: from sm_90
// on.
bool launchesEarly(llvm::StringRef arch);

// Fills in the missing numbers (those that are 0) from the GPU that represents the architecture.
GpuSheet completed(GpuSheet sheet);

} // namespace specmv
