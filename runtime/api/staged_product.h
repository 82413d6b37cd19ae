// Products on a GPU with vectors on the host or with several vectors, and the memory that they
// need.
#pragma once

#include "runtime/cuda/product.h"

namespace specmv {

// --- Staged product ------------------------------------------------------------------------------

// Runs products on a GPU with vectors on the host, which are copied through device buffers.

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

// --- Several product -----------------------------------------------------------------------------

// Runs products with several vectors on a GPU, with the memory that they need beside the plan's
// arrays.

// The caller's X or Y: `count` vectors of `length` values; value j of element i is at i stride + j
// step.
struct CallerVectors {
  // These values are also `count` lines without gaps, which begin `leading` values apart.
  struct Lines {
    int64_t count, width, leading;
  };

  void *pointer;
  int64_t length, count, stride, step;
  const char *name; // for errors

  // Returns the distance from the first value to the end of the last one.
  int64_t extent() const {
    return length == 0 || count == 0 ? 0 : (length - 1) * stride + (count - 1) * step + 1;
  }
  Lines lines() const {
    return stride == 1 ? Lines{count, length, step} : Lines{length, count, stride};
  }
};

// Returns true if an element of `a` is one of `b` too. Both consist of values of this many bytes
// and are aligned to them. They may interleave, as the columns of one array do. The decision is
// exact, and takes a time that does not grow with the vectors.
bool haveCommonElement(const CallerVectors &a, const CallerVectors &b, size_t bytesOfValue);

// Holds the buffers of one plan. They are allocated at first use, and again if more is needed.
class SeveralProduct {
public:
  // Computes Y = alpha A X + beta Y in order on the stream, with X and Y each on the host or on the
  // GPU. A Y on the host is ready on return; what lies between its values is not written.
  llvm::Error run(const GpuProduct &product, const Scalars &scalars, const CallerVectors &x,
                  const CallerVectors &y, size_t bytesOfValue, StreamHandle stream);
  int64_t bytes() const { return static_cast<int64_t>(x_.bytes() + y_.bytes() + rowsOfX_.bytes()); }
  // Uses the caller's memory for rows of X, which must be enough for any product, and frees the
  // plan's own. With 0, the plan allocates its own again when needed. No product may be running.
  void useRows(DevicePointer lent) {
    lent_ = lent;
    rowsOfX_ = DeviceBuffer();
  }
  void freeOn(StreamHandle stream) {
    for (DeviceBuffer *buffer : {&x_, &y_, &rowsOfX_})
      buffer->freeOn(stream);
  }

private:
  DeviceBuffer x_, y_, rowsOfX_;
  DevicePointer lent_ = 0; // replaces rowsOfX_ unless 0
};

} // namespace specmv
