// Times a product on the GPU, by the same protocol in run, bench and profile.
#pragma once

#include "models/csr.h"
#include "runtime/cuda/product.h"

#include <functional>
#include <vector>

namespace specmv {

// Vectors on the device: x is random, y is filled with NaN.
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
  bool brief = false; // fewer runs than the protocol asks for, since the product is too slow
};

// The effort for a product that took `us` once. It is a brief one if the product takes more than
// kHopeless times as long as the fastest one so far, `fastestUs` (0: there is none).
constexpr double kHopeless = 20;
Effort effortFor(double us, double fastestUs);

// The same, with the time taken from a few products: one to warm up, one or two to find out whether
// the product is too slow, and some more to find the size of a batch.
llvm::Expected<Effort> effortFor(const GpuDevice &gpu, const Enqueue &product,
                                 double fastestUs = 0);

// Microseconds of one product in a sequence of `count`.
llvm::Expected<double> timeBatch(const GpuDevice &gpu, const Enqueue &product, int count);

// Microseconds of one product in a sequence of products, with a warm L2: the median of the batches.
llvm::Expected<double> measureWarm(const GpuDevice &gpu, const Enqueue &product,
                                   const Effort &effort);
llvm::Expected<double> measureWarm(const GpuDevice &gpu, const Enqueue &product);

// Microseconds of one product after a buffer larger than L2 was written: the median of some runs.
llvm::Expected<double> measureCold(const GpuDevice &gpu, const Enqueue &product,
                                   const Effort &effort);

// The one in the middle, of an even number the upper one; the list is reordered.
double median(std::vector<double> &times);

// GB/s of a device-to-device copy, bytes read plus bytes written.
llvm::Expected<double> measureCopyGBs(const GpuDevice &gpu);

} // namespace specmv
