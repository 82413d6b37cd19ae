// Copies vectors from the host to the device and back around a product with several.
#include "runtime/api/several_product.h"

namespace specmv {

// Returns the device address of the vectors. Vectors on the host are copied including any gaps
// between them, since the gaps are copied back too.
static llvm::Expected<DevicePointer> staged(const GpuDevice &gpu, const CallerVectors &v,
                                            bool isRead, size_t bytesOfValue, DeviceBuffer &buffer,
                                            StreamHandle stream) {
  const size_t bytes = static_cast<size_t>(v.extent()) * bytesOfValue;
  return deviceAddressOf(gpu, {v.pointer, bytes, v.name}, isRead, buffer, stream);
}

llvm::Error SeveralProduct::run(const GpuProduct &product, const Scalars &scalars,
                                const CallerVectors &x, const CallerVectors &y, size_t bytesOfValue,
                                StreamHandle stream) {
  const GpuDevice &gpu = product.gpu();
  auto px = staged(gpu, x, true, bytesOfValue, x_, stream);
  if (!px)
    return px.takeError();
  const bool hasGaps = y.extent() != y.length * y.count;
  auto py = staged(gpu, y, scalars.mayReadY() || hasGaps, bytesOfValue, y_, stream);
  if (!py)
    return py.takeError();
  const SeveralVectors vectors{x.count, *px, x.stride, x.step, *py, y.stride, y.step};
  if (!lent_)
    if (llvm::Error error = reserve(gpu, product.bytesOfRows(vectors), rowsOfX_, stream))
      return error;
  if (llvm::Error error = product.run(scalars, vectors, lent_ ? lent_ : rowsOfX_.pointer(), stream))
    return error;
  if (*py == reinterpret_cast<DevicePointer>(y.pointer))
    return llvm::Error::success();
  if (llvm::Error error =
          gpu.download(y.pointer, *py, static_cast<size_t>(y.extent()) * bytesOfValue, stream))
    return error;
  return gpu.synchronize(stream);
}

} // namespace specmv
