// Runs products on a GPU with vectors on the host, which are copied through device buffers.
#pragma once

#include "runtime/cuda/product.h"

namespace specmv {

// A vector of the caller, on the host or on the GPU.
struct CallerVector {
  void *pointer;
  size_t bytes;
  const char *name; // for errors
};

// Makes the buffer, which only this stream uses, at least this large. Its previous memory is freed
// in stream order. Status::badCall if something must be allocated and the stream is being captured.
llvm::Error reserve(const GpuDevice &gpu, size_t bytes, DeviceBuffer &buffer, StreamHandle stream);

// Returns the vector's device address: its own, or that of the buffer, which is enlarged first; the
// vector is copied there if `read` is true. Status::badCall if the vector is on another GPU.
llvm::Expected<DevicePointer> deviceAddressOf(const GpuDevice &gpu, CallerVector vector, bool read,
                                              DeviceBuffer &buffer, StreamHandle stream);

// Computes z = alpha A x + beta y in order on the stream, all on the GPU. If z is not y and the
// kernels cannot write to a separate z, y is copied to z first.
llvm::Error multiplyInto(const GpuProduct &product, const Scalars &scalars, DevicePointer x,
                         DevicePointer y, DevicePointer z, size_t bytesOfY, StreamHandle stream);

// Holds the buffers of one plan, which are made at first use.
class StagedProduct {
public:
  // Computes z = alpha A x + beta y in order on the stream, each on the host or on the GPU; z may
  // be y. A z on the host is ready on return. If all are on the GPU, nothing is copied to or from
  // the host and nothing is waited for.
  llvm::Error run(const GpuProduct &product, const Scalars &scalars, CallerVector x, CallerVector y,
                  CallerVector z, StreamHandle stream);
  int64_t bytes() const { return static_cast<int64_t>(x_.bytes() + y_.bytes() + z_.bytes()); }
  void freeOn(StreamHandle stream) {
    x_.freeOn(stream);
    y_.freeOn(stream);
    z_.freeOn(stream);
  }

private:
  DeviceBuffer x_, y_, z_;
};

} // namespace specmv
