// Copies vectors from the host to the device and back around a product.
#include "runtime/api/staged_product.h"

#include "runtime/cuda/graph.h"
#include "runtime/cuda/memory_place.h"

namespace specmv {

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

} // namespace specmv
