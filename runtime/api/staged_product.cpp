// Copies vectors from the host to the device and back around a product.
#include "runtime/api/staged_product.h"

#include "models/base/error.h"
#include "runtime/cuda/memory_pool.h"
#include "runtime/cuda/streams.h"

#include <cstring>
#include <memory>

namespace specmv {

// --- Staged product ------------------------------------------------------------------------------

// Copies vectors from the host to the device and back around a product.

llvm::Error reserve(const GpuDevice &gpu, size_t bytes, DeviceBuffer &buffer, StreamHandle stream) {
  if (buffer.bytes() >= bytes)
    return llvm::Error::success();
  if (isCaptured(gpu, stream))
    return fail(
        Status::badCall,
        "the product needs {0} bytes of working memory, which cannot be allocated while the stream "
        "is being captured; run one such product on the stream before the capture",
        bytes);
  buffer.freeOn(stream); // the stream may still use it
  return gpu.allocate(bytes).moveInto(buffer);
}

llvm::Expected<DevicePointer> deviceAddressOf(const GpuDevice &gpu, CallerVector vector, bool read,
                                              DeviceBuffer &buffer, StreamHandle stream) {
  const MemoryPlace place = vector.bytes == 0 ? MemoryPlace() : placeOf(vector.pointer);
  if (llvm::Error error = wantOnSameGpu(gpu, place, vector.name))
    return error;
  if (vector.bytes == 0 || place.isOnGpu)
    return reinterpret_cast<DevicePointer>(vector.pointer);
  if (llvm::Error error = reserve(gpu, vector.bytes, buffer, stream))
    return error;
  if (read)
    if (llvm::Error error = gpu.upload(buffer.pointer(), vector.pointer, vector.bytes, stream))
      return error;
  return buffer.pointer();
}

llvm::Error multiplyInto(const GpuProduct &product, const Scalars &scalars, DevicePointer x,
                         DevicePointer y, DevicePointer z, size_t bytesOfY, StreamHandle stream) {
  if (y != z && product.writesApart())
    return product.run(scalars, x, y, z, stream);
  if (y != z && scalars.mayReadY())
    if (llvm::Error error = product.gpu().copy(z, y, bytesOfY, stream))
      return error;
  return product.run(scalars, x, z, stream);
}

llvm::Error StagedProduct::run(const GpuProduct &product, const Scalars &scalars, CallerVector x,
                               CallerVector y, CallerVector z, StreamHandle stream) {
  const GpuDevice &gpu = product.gpu();
  auto px = deviceAddressOf(gpu, x, true, x_, stream);
  if (!px)
    return px.takeError();
  auto py = deviceAddressOf(gpu, y, scalars.mayReadY(), y_, stream);
  if (!py)
    return py.takeError();
  auto pz = z.pointer == y.pointer ? *py : deviceAddressOf(gpu, z, false, z_, stream);
  if (!pz)
    return pz.takeError();
  if (llvm::Error error = multiplyInto(product, scalars, *px, *py, *pz, z.bytes, stream))
    return error;
  if (*pz == reinterpret_cast<DevicePointer>(z.pointer))
    return llvm::Error::success();
  if (llvm::Error error = gpu.download(z.pointer, *pz, z.bytes, stream))
    return error;
  return gpu.synchronize(stream);
}

// --- Several product -----------------------------------------------------------------------------

// Copies vectors from the host to the device and back around a product with several.

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
