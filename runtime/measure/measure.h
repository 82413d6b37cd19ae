// Times a product on the GPU by the protocol that the bench uses too.
#pragma once

#include "models/csr.h"
#include "runtime/cuda/product.h"

#include <functional>

namespace specmv {

// Vectors on the device: x random, y poisoned.
struct DeviceVectors {
  DeviceBuffer x, y;
  static llvm::Expected<DeviceVectors> make(const GpuDevice &gpu, int64_t rows, int64_t cols,
                                            ValueType type);
};

// One product, put on the default stream.
using Enqueue = std::function<llvm::Error()>;

// y = A x by a loaded plan. Refers to both.
Enqueue enqueue(const GpuProduct &product, const DeviceVectors &vectors);

// How often a product is run to be measured.
struct Effort {
  int batches, perBatch; // warm
  int cold;
  int repeats;        // that must give equal bits
  bool brief = false; // fewer than the protocol asks for: the product is hopeless
};

// The effort for a product of which one took this long, where the fastest so far took `fastestUs`
// (0: there is none): a brief one if it is slower than kHopeless times that.
constexpr double kHopeless = 20;
Effort effortFor(double us, double fastestUs);

// The same, after a few products: one to warm up, one or two that tell whether it is hopeless, and
// some that tell how many fill a batch.
llvm::Expected<Effort> effortFor(const GpuDevice &gpu, const Enqueue &product,
                                 double fastestUs = 0);

// Microseconds of one product, back to back with others, L2 warm: the median of the batches.
llvm::Expected<double> measureWarm(const GpuDevice &gpu, const Enqueue &product,
                                   const Effort &effort);
llvm::Expected<double> measureWarm(const GpuDevice &gpu, const Enqueue &product);

// Microseconds of one product after a buffer larger than L2 was written: the median of some.
llvm::Expected<double> measureCold(const GpuDevice &gpu, const Enqueue &product,
                                   const Effort &effort);

// GB/s of a device-to-device copy, bytes read plus bytes written.
llvm::Expected<double> measureCopyGBs(const GpuDevice &gpu);

} // namespace specmv
