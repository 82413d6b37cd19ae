// Products on a GPU with vectors on the host, which are copied through buffers on the device.
#pragma once

#include "runtime/cuda/product.h"

namespace specmv {

// A vector of the caller, on the host or on the GPU.
struct CallerVector {
  void *pointer;
  size_t bytes;
  const char *name; // for errors
};

// Makes the buffer large enough, which only this stream uses. What it had been is freed in order on
// the stream.
// Status::badCall if something must be allocated and the stream is captured.
llvm::Error reserve(const GpuDevice &gpu, size_t bytes, DeviceBuffer &buffer, StreamHandle stream);

// Its device address: its own, or that of the buffer, to which it is copied if `read` is true. The
// buffer is made large enough first. Status::badCall if it lies on another GPU.
llvm::Expected<DevicePointer> deviceAddressOf(const GpuDevice &gpu, CallerVector vector, bool read,
                                              DeviceBuffer &buffer, StreamHandle stream);

// z = alpha A x + beta y in order on the stream, all on the GPU. Where z is not y, and kernels do
// not write apart, y is copied to z first.
llvm::Error multiplyInto(const GpuProduct &product, const Scalars &scalars, DevicePointer x,
                         DevicePointer y, DevicePointer z, size_t bytesOfY, StreamHandle stream);

// The buffers of one plan, made when they are first needed.
class StagedProduct {
public:
  // z = alpha A x + beta y in order on the stream, each on the host or on the GPU; z may be y. A z
  // on the host is ready on return; with all on the GPU nothing is copied to it or waited for.
  llvm::Error run(const GpuProduct &product, const Scalars &scalars, CallerVector x, CallerVector y,
                  CallerVector z, StreamHandle stream);
  void freeOn(StreamHandle stream) {
    x_.freeOn(stream);
    y_.freeOn(stream);
    z_.freeOn(stream);
  }

private:
  DeviceBuffer x_, y_, z_;
};

} // namespace specmv
