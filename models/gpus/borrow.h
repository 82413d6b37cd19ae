// Models of GPUs that have no file: the built-in ones, data sheets, and the nearest model's rates.
#pragma once

#include "models/gpu.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace specmv {

// --- Built in ------------------------------------------------------------------------------------

// The built-in GPU models, and the limit on the length of a model's text.

struct BuiltInGpu {
  const char *name;
  const char *text; // JSON
};

// Returns nullptr if no model has that name.
const BuiltInGpu *findBuiltInGpu(llvm::StringRef name);

// Fails if a model's text of this length would exceed the limit.
llvm::Error refuseLongGpuModel(uint64_t bytes, llvm::StringRef origin);

// --- Sheet ---------------------------------------------------------------------------------------

// The data that NVIDIA publishes about a GPU, in a data sheet or through the driver. These numbers
// scale the rates of a measured GPU to one that was not measured (models/gpus/borrow.h).

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

// --- Borrow --------------------------------------------------------------------------------------

// Makes the model of a GPU that has no file of its own: the nearest model with measured rates,
// scaled by the data sheets of both.

// The lender's model, adapted to a GPU with this sheet. Memory rates scale with the peak rates of
// the memories, which keeps the measured share of the peak. L2 rates scale with SMs x clock,
// latencies with the clock period, and the capacity of L1 with its size. Launches and efficiencies
// stay. Numbers that the sheet contains are taken from it.
GpuModel scaledTo(const GpuSheet &sheet, GpuModel lender);

// Chooses among the models with rates of their own: one of the same architecture if there is any,
// and of several the one with the nearest peak memory rate. Null if no model has rates of its own.
const GpuModel *nearestLender(llvm::ArrayRef<GpuModel> models, const GpuSheet &sheet);

// Scales the nearest of the built-in models to this sheet.
llvm::Expected<GpuModel> borrowedModel(const GpuSheet &sheet);

// The text of borrowedModel() under this name, in which each number states its source. `told` holds
// only what the driver reports; the function completes it.
llvm::Expected<std::string> borrowedModelText(const GpuSheet &told, llvm::StringRef name);

// The model for planning without a GPU. It is a built-in model of this architecture with rates of
// its own (of several, the one with the highest memory rate). If there is none, it is the model of
// the GPU that represents the architecture, otherwise a borrowed one. Status::badCall if `arch` is
// not an architecture.
llvm::Expected<GpuModel> modelForArch(llvm::StringRef arch);

// States in a clause whose rates a model made by borrowedModel() uses; "" for any other model.
std::string borrowingText(const GpuModel &gpu);

} // namespace specmv
