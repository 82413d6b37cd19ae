// Our model of a set-up's time: what is done once, before the first product, for a matrix on a GPU.
// Its numbers are the costs under "setup" of a GPU's model.
#pragma once

#include "models/gpu.h"

#include <cstdint>
#include <string>

namespace specmv {

// The matrix as it is given, in CSR.
struct SetupSize {
  int64_t rows = 0, cols = 0, nnz = 0;
  int64_t valueBytes = 8, indexBytes = 4;

  int64_t indicesBytes() const { return (rows + 1 + nnz) * indexBytes; }
  int64_t csrBytes() const { return indicesBytes() + nnz * valueBytes; }
};

// How much must be done before a kernel can be launched.
enum class KernelState : uint8_t {
  loaded,  // nothing, also if there is no such kernel
  ready,   // it must be loaded: a pack or the cache has it
  missing, // it must be compiled and loaded
};

// What is done for one plan, after the profile.
struct SetupWork {
  std::string format;
  int64_t storedBytes = 0;   // arrays of the layout
  int64_t lentBytes = 0;     // of them: those of the CSR that are not copied
  bool isPackedHere = true;  // on the GPU; else on the host, and copied
  bool opensLibrary = false; // the plan is a call of a library that is not open yet
  KernelState product = KernelState::loaded, packing = KernelState::loaded; // the kernels
};

// Microseconds before the first product.
struct PredictedSetup {
  double workUs = 0;    // the host's, the profile's and the packing
  double kernelsUs = 0; // to compile and load what is not at hand

  double totalUs() const { return workUs + kernelsUs; }
  PredictedSetup &operator+=(const PredictedSetup &other);
};

// Microseconds of each part. A pass moves all bytes once at the rate of a copy:
//   profile   passes x the indices' bytes, launches, and hostUs to wait for it and to rank plans
//   pack      passes of the format x the bytes of CSR and of the layout, without those that both
//             have in common, and launches; on the host hostNs for each entry, and the copy of the
//             layout
// and the time to compile and load what is not at hand. The host's time besides is a set-up's own,
// whatever the plan.
// `lookUs` is hostUs.
double lookUs(const GpuModel &gpu);
PredictedSetup profileTime(const SetupSize &size, KernelState kernels, const GpuModel &gpu);
PredictedSetup packTime(const SetupWork &work, const SetupSize &size, const GpuModel &gpu);
PredictedSetup setupHostTime(const GpuModel &gpu);
// Of CSR as it is, multiplied by csr-merge: neither profiled nor packed.
PredictedSetup asItIsTime(KernelState kernel, const GpuModel &gpu);

// A cost of a format, or the one of all formats that have none of their own.
double setupCost(const GpuModel &gpu, const std::string &format, const char *name);

// Fails with Status::badInput, naming `origin`, if a model lacks a cost that all formats without
// one of their own use.
llvm::Error checkSetupCosts(const Rates &costs, llvm::StringRef origin);

} // namespace specmv
