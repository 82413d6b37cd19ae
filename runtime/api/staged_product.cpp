// Copies vectors of the host to the device and back around a product.
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
        "the product needs {0} bytes of working memory, which cannot be allocated while the "
        "stream is captured; put one such product on the stream before",
        bytes);
  buffer = DeviceBuffer();
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

llvm::Error StagedProduct::run(const GpuProduct &product, const Scalars &scalars, CallerVector x,
                               CallerVector y, StreamHandle stream) {
  const GpuDevice &gpu = product.gpu();
  auto px = deviceAddressOf(gpu, x, true, x_, stream);
  if (!px)
    return px.takeError();
  auto py = deviceAddressOf(gpu, y, scalars.mayReadY(), y_, stream);
  if (!py)
    return py.takeError();
  if (llvm::Error error = product.run(scalars, *px, *py, stream))
    return error;
  if (*py == reinterpret_cast<DevicePointer>(y.pointer))
    return llvm::Error::success();
  if (llvm::Error error = gpu.download(y.pointer, *py, y.bytes, stream))
    return error;
  return gpu.synchronize(stream);
}

} // namespace specmv
