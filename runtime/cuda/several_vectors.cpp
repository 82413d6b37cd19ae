// Runs products with several vectors on a GPU, in passes of the number of vectors that the kernel
// multiplies. X is copied to rows unless the kernel can read it in place.
#include "runtime/cuda/product.h"

#include "generator/shared/several.h"

#include <algorithm>

namespace specmv {

llvm::Error GpuProduct::addSeveral(const Steps &steps, const Layout &layout, const Problem &problem,
                                   int64_t cols, StreamHandle stream) {
  auto toRows = bind(rowsOfXLaunch(problem, cols), layout, stream);
  if (!toRows)
    return toRows.takeError();
  toRows_ = std::get<Kernel>(std::move(*toRows));
  vectors_ = problem.vectors;
  for (const Step &step : steps)
    if (llvm::Error error = add(step, layout, stream, several_))
      return error;
  cols_ = cols;
  alignment_ = alignmentOfRows(problem);
  return llvm::Error::success();
}

bool GpuProduct::hasRows(DevicePointer at, int64_t stride, int64_t step, int64_t count) const {
  return step == 1 && count == vectors_ && at % static_cast<uint64_t>(alignment_) == 0 &&
         stride * static_cast<int64_t>(sizeOf(type_)) % alignment_ == 0;
}

size_t GpuProduct::bytesOfRows(const SeveralVectors &v) const {
  // If the first pass can read X in place, so can all others, except a last one with fewer vectors.
  const bool isInPlace = v.count % vectors_ == 0 && hasRows(v.x, v.strideX, v.stepX, vectors_);
  return isInPlace ? 0 : static_cast<size_t>(cols_ * vectors_) * sizeOf(type_);
}

llvm::Error GpuProduct::runPass(const Operands &asked, StreamHandle stream) const {
  Operands operands = asked;
  SeveralVectors &v = operands.several;
  if (cols_ > 0 && !hasRows(v.x, v.strideX, v.stepX, v.count)) {
    if (llvm::Error error = put(*toRows_, operands, stream))
      return error;
    operands.x = operands.rowsOfX;
    v.strideX = vectors_;
  }
  if (hasRows(v.y, v.strideY, v.stepY, v.count))
    v.stepY = 0; // tells the kernel that rows are whole
  return run(several_, operands, stream);
}

llvm::Error GpuProduct::run(const Scalars &scalars, const SeveralVectors &vectors,
                            DevicePointer rowsOfX, StreamHandle stream) const {
  const auto size = static_cast<int64_t>(sizeOf(type_));
  for (int64_t first = 0; first < vectors.count; first += vectors_) {
    SeveralVectors v = vectors;
    v.count = std::min<int64_t>(vectors_, vectors.count - first);
    v.x += static_cast<DevicePointer>(first * v.stepX * size);
    v.y += static_cast<DevicePointer>(first * v.stepY * size);
    Operands operands(scalars, type_, v.x, v.y);
    operands.several = v;
    operands.cols = cols_;
    operands.rowsOfX = rowsOfX;
    if (llvm::Error error = runPass(operands, stream))
      return error;
  }
  return llvm::Error::success();
}

} // namespace specmv
