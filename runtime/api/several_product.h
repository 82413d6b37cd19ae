// Products with several vectors on a GPU, and the memory that they need beside the plan's arrays.
#pragma once

#include "runtime/api/staged_product.h"

namespace specmv {

// X or Y of the caller: `count` vectors of `length` values; value j of element i is at
// i stride + j step.
struct CallerVectors {
  void *pointer;
  int64_t length, count, stride, step;
  const char *name; // for errors

  // From the first value to the last one.
  int64_t extent() const {
    return length == 0 || count == 0 ? 0 : (length - 1) * stride + (count - 1) * step + 1;
  }
};

// The memory of one plan, made when it is first needed, and again when more of it is.
class SeveralProduct {
public:
  // Y = alpha A X + beta Y in order on the stream, each of X and Y on the host or on the GPU. A Y
  // on the host is ready on return.
  llvm::Error run(const GpuProduct &product, const Scalars &scalars, const CallerVectors &x,
                  const CallerVectors &y, size_t bytesOfValue, StreamHandle stream);
  int64_t bytes() const { return static_cast<int64_t>(rowsOfX_.bytes()); }
  // Memory of the caller for rows of X, enough for any product, and the plan's own is freed; 0: the
  // latter is made again when it is needed. No product may run.
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
  DevicePointer lent_ = 0; // in place of the last
};

} // namespace specmv
