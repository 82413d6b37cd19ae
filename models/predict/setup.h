// Our model of the time of a set-up: the work that is done once, before the first product, for a
// matrix on a GPU. Its parameters are the costs under "setup" in a GPU's model.
#pragma once

#include "models/gpu.h"

#include <cstdint>
#include <string>

namespace specmv {

// The matrix as given, in CSR.
struct SetupSize {
  int64_t rows = 0, cols = 0, nnz = 0;
  int64_t valueBytes = 8, indexBytes = 4;

  int64_t indicesBytes() const { return (rows + 1 + nnz) * indexBytes; }
  int64_t csrBytes() const { return indicesBytes() + nnz * valueBytes; }
};

// The work that remains before a kernel can be launched.
enum class KernelState : uint8_t {
  loaded,  // no work; also if the plan has no such kernel
  ready,   // it must be loaded: a pack or the cache has it
  missing, // it must be compiled and loaded
};

// The work for one plan, after the profile.
struct SetupWork {
  std::string format;
  int64_t storedBytes = 0;   // arrays of the layout
  int64_t lentBytes = 0;     // part of storedBytes: arrays of the CSR that are not copied
  bool isPackedHere = true;  // packed on the GPU; otherwise on the host, and copied
  bool opensLibrary = false; // the plan calls a library that is not open yet
  KernelState product = KernelState::loaded, packing = KernelState::loaded; // the kernels
};

// Times before the first product, in microseconds.
struct PredictedSetup {
  double workUs = 0;    // work of the host, the profile and the packing
  double kernelsUs = 0; // compiling and loading kernels that are not available yet

  double totalUs() const { return workUs + kernelsUs; }
  PredictedSetup &operator+=(const PredictedSetup &other);
};

// Microseconds of each part. A pass moves all bytes once at the rate of a copy:
//   profile   passes x the indices' bytes, launches, and hostUs to wait for it and to rank plans
//   pack      passes of the format x the bytes of CSR and of the layout, except those that both
//             share, and launches; on the host, hostNs for each entry and the copy of the layout
// To these are added the times of compiling and loading kernels that are not available yet.
// setupHostTime() is the rest of the host's time, which does not depend on the plan. lookUs()
// returns hostUs of the profile.
double lookUs(const GpuModel &gpu);
PredictedSetup profileTime(const SetupSize &size, KernelState kernels, const GpuModel &gpu);
PredictedSetup packTime(const SetupWork &work, const SetupSize &size, const GpuModel &gpu);
PredictedSetup setupHostTime(const GpuModel &gpu);
// The set-up of CSR as it is, multiplied by csr-merge: without profile and packing.
PredictedSetup asItIsTime(KernelState kernel, const GpuModel &gpu);

// A cost of a format; the one under "any" if the format has none of its own.
double setupCost(const GpuModel &gpu, const std::string &format, const char *name);

// Fails with Status::badInput, naming `origin`, if a model lacks a cost that formats without their
// own use.
llvm::Error checkSetupCosts(const Rates &costs, llvm::StringRef origin);

} // namespace specmv
