// Makes page-locked memory, streams and events, each freed in the context it was made in.
#include "runtime/cuda/overlap.h"

#include "runtime/cuda/driver.h"

namespace specmv {

// Frees a thing of the driver's in its GPU's context.
template <class T> static auto freeWith(const GpuDevice &gpu, CUresult (*free)(T)) {
  return [owner = gpu.shared_from_this(), free](void *thing) {
    GpuDevice::Current current(*owner);
    free(static_cast<T>(thing));
  };
}

llvm::Expected<std::shared_ptr<std::byte>> allocateHost(const GpuDevice &gpu, size_t bytes) {
  if (bytes == 0)
    return std::shared_ptr<std::byte>();
  GpuDevice::Current current(gpu);
  void *memory = nullptr;
  const CUresult result = driver().cuMemHostAlloc(&memory, bytes, CU_MEMHOSTALLOC_PORTABLE);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return fail(Status::missing, "the host has no room for {0} page-locked bytes", bytes);
  if (llvm::Error error = driver().check(result, "cuMemHostAlloc"))
    return error;
  return std::shared_ptr<std::byte>(static_cast<std::byte *>(memory),
                                    freeWith(gpu, driver().cuMemFreeHost));
}

llvm::Expected<std::shared_ptr<void>> makeStream(const GpuDevice &gpu) {
  GpuDevice::Current current(gpu);
  CUstream stream = nullptr;
  if (llvm::Error error = driver().check(driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
                                         "cuStreamCreate"))
    return error;
  return std::shared_ptr<void>(stream, freeWith(gpu, driver().cuStreamDestroy));
}

llvm::Expected<std::shared_ptr<void>> makeEvent(const GpuDevice &gpu) {
  GpuDevice::Current current(gpu);
  CUevent event = nullptr;
  if (llvm::Error error =
          driver().check(driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate"))
    return error;
  return std::shared_ptr<void>(event, freeWith(gpu, driver().cuEventDestroy));
}

llvm::Error record(const GpuDevice &gpu, void *event, StreamHandle stream) {
  GpuDevice::Current current(gpu);
  return driver().check(
      driver().cuEventRecord(static_cast<CUevent>(event), static_cast<CUstream>(stream)),
      "cuEventRecord");
}

llvm::Error waitFor(const GpuDevice &gpu, void *event, StreamHandle stream) {
  GpuDevice::Current current(gpu);
  return driver().check(driver().cuStreamWaitEvent(static_cast<CUstream>(stream),
                                                   static_cast<CUevent>(event),
                                                   CU_EVENT_WAIT_DEFAULT),
                        "cuStreamWaitEvent");
}

llvm::Error callOnHost(const GpuDevice &gpu, void (*function)(void *data), void *data,
                       StreamHandle stream) {
  GpuDevice::Current current(gpu);
  return driver().check(driver().cuLaunchHostFunc(static_cast<CUstream>(stream), function, data),
                        "cuLaunchHostFunc");
}

} // namespace specmv
