// Copies vectors from the host to the device and back around a product with several.
#include "runtime/api/several_product.h"

#include "models/base/in_turn.h"

#include <cstring>
#include <memory>

namespace specmv {

// Returns the device address of the vectors. Vectors on the host are copied including what lies
// between their values, so that the strides stay the same.
static llvm::Expected<DevicePointer> staged(const GpuDevice &gpu, const CallerVectors &v,
                                            bool isRead, size_t bytesOfValue, DeviceBuffer &buffer,
                                            StreamHandle stream) {
  const size_t bytes = static_cast<size_t>(v.extent()) * bytesOfValue;
  return deviceAddressOf(gpu, {v.pointer, bytes, v.name}, isRead, buffer, stream);
}

// Copies the values to the host and writes nothing between them, where X or the data of another
// thread may lie.
static llvm::Error download(const GpuDevice &gpu, const CallerVectors &to, DevicePointer from,
                            size_t bytesOfValue, StreamHandle stream) {
  const size_t bytes = static_cast<size_t>(to.extent()) * bytesOfValue;
  const auto copy = [&](void *target) {
    return inTurn([&] { return gpu.download(target, from, bytes, stream); },
                  [&] { return gpu.synchronize(stream); });
  };
  if (to.extent() == to.length * to.count)
    return copy(to.pointer);
  const auto all = std::make_unique_for_overwrite<std::byte[]>(bytes);
  if (llvm::Error error = copy(all.get()))
    return error;
  const auto [count, width, leading] = to.lines();
  for (int64_t line = 0; line < count; ++line) {
    const size_t at = static_cast<size_t>(line * leading) * bytesOfValue;
    std::memcpy(static_cast<std::byte *>(to.pointer) + at, all.get() + at,
                static_cast<size_t>(width) * bytesOfValue);
  }
  return llvm::Error::success();
}

llvm::Error SeveralProduct::run(const GpuProduct &product, const Scalars &scalars,
                                const CallerVectors &x, const CallerVectors &y, size_t bytesOfValue,
                                StreamHandle stream) {
  const GpuDevice &gpu = product.gpu();
  auto px = staged(gpu, x, true, bytesOfValue, x_, stream);
  if (!px)
    return px.takeError();
  auto py = staged(gpu, y, scalars.mayReadY(), bytesOfValue, y_, stream);
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
  return download(gpu, y, *py, bytesOfValue, stream);
}

} // namespace specmv
