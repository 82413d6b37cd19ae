// Copies vectors of the host to the device and back around a product.
#include "runtime/api/staged_product.h"
#include "runtime/cuda/memory_place.h"

namespace specmv {

llvm::Expected<DevicePointer> deviceAddressOf(const GpuDevice &gpu, CallerVector vector, bool read,
                                              DeviceBuffer &buffer, StreamHandle stream) {
  const MemoryPlace place = vector.bytes == 0 ? MemoryPlace() : placeOf(vector.pointer);
  if (llvm::Error error = wantOnSameGpu(gpu, place, vector.name))
    return error;
  if (vector.bytes == 0 || place.isOnGpu)
    return reinterpret_cast<DevicePointer>(vector.pointer);
  if (buffer.bytes() == 0) {
    auto made = gpu.allocate(vector.bytes);
    if (!made)
      return made.takeError();
    buffer = std::move(*made);
  }
  if (read)
    if (llvm::Error error = gpu.upload(buffer.pointer(), vector.pointer, vector.bytes, stream))
      return error;
  return buffer.pointer();
}

llvm::Error StagedProduct::run(const GpuProduct &product, double alpha, CallerVector x, double beta,
                               CallerVector y, StreamHandle stream) {
  const GpuDevice &gpu = product.gpu();
  auto px = deviceAddressOf(gpu, x, true, x_, stream);
  if (!px)
    return px.takeError();
  auto py = deviceAddressOf(gpu, y, beta != 0, y_, stream);
  if (!py)
    return py.takeError();
  if (llvm::Error error = product.run(alpha, *px, beta, *py, stream))
    return error;
  if (*py == reinterpret_cast<DevicePointer>(y.pointer))
    return llvm::Error::success();
  if (llvm::Error error = gpu.download(y.pointer, *py, y.bytes, stream))
    return error;
  return gpu.synchronize(stream);
}

} // namespace specmv
