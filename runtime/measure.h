// Times a product on the GPU by the protocol that the bench uses too.
#pragma once

#include "models/csr.h"
#include "runtime/gpu_product.h"

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

// Microseconds of one product, back to back with others, L2 warm: the median of kBatches batches.
llvm::Expected<double> measureWarm(const GpuDevice &gpu, const Enqueue &product);

// Microseconds of one product after a buffer larger than L2 was written: the median of kBatches.
llvm::Expected<double> measureCold(const GpuDevice &gpu, const Enqueue &product);

// GB/s of a device-to-device copy, bytes read plus bytes written.
llvm::Expected<double> measureCopyGBs(const GpuDevice &gpu);

} // namespace specmv
