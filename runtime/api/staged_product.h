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

// Makes the buffer large enough. What it had been is freed when no stream works any more.
// Status::badCall if something must be allocated and the stream is captured.
llvm::Error reserve(const GpuDevice &gpu, size_t bytes, DeviceBuffer &buffer, StreamHandle stream);

// Its device address: its own, or that of the buffer, to which it is copied if `read` is true. The
// buffer is made large enough first. Status::badCall if it lies on another GPU.
llvm::Expected<DevicePointer> deviceAddressOf(const GpuDevice &gpu, CallerVector vector, bool read,
                                              DeviceBuffer &buffer, StreamHandle stream);

// The buffers of one plan, made when they are first needed.
class StagedProduct {
public:
  // y = alpha A x + beta y in order on the stream, each of x and y on the host or on the GPU. A y
  // on the host is ready on return; with both on the GPU nothing is copied or waited for.
  llvm::Error run(const GpuProduct &product, const Scalars &scalars, CallerVector x, CallerVector y,
                  StreamHandle stream);
  void freeOn(StreamHandle stream) {
    x_.freeOn(stream);
    y_.freeOn(stream);
  }

private:
  DeviceBuffer x_, y_;
};

} // namespace specmv
