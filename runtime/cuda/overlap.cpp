// Makes page-locked memory, streams and events; each is freed in the context it was made in.
#include "runtime/cuda/overlap.h"

#include "runtime/cuda/driver.h"

namespace specmv {

llvm::Expected<GpuHandle<std::byte *>> allocateHost(const GpuDevice &gpu, size_t bytes) {
  if (bytes == 0)
    return GpuHandle<std::byte *>();
  void *memory = nullptr;
  bool isFull = false;
  llvm::Error error = callIn(gpu, "cuMemHostAlloc", [&](const Driver &d) {
    const CUresult result = d.cuMemHostAlloc(&memory, bytes, CU_MEMHOSTALLOC_PORTABLE);
    isFull = result == CUDA_ERROR_OUT_OF_MEMORY;
    return result;
  });
  if (isFull) {
    llvm::consumeError(std::move(error));
    return fail(Status::missing,
                "the host does not have enough memory to allocate {0} page-locked bytes", bytes);
  }
  if (error)
    return error;
  return GpuHandle<std::byte *>(
      static_cast<std::byte *>(memory),
      {gpu.shared_from_this(), [](std::byte *locked) { driver().cuMemFreeHost(locked); }});
}

static llvm::Expected<GpuHandle<void *>>
makeStreamBy(const GpuDevice &gpu, const char *name,
             const std::function<CUresult(const Driver &, CUstream &)> &make) {
  CUstream stream = nullptr;
  if (llvm::Error error = callIn(gpu, name, [&](const Driver &d) { return make(d, stream); }))
    return error;
  return GpuHandle<void *>(stream, {gpu.shared_from_this(), [](void *made) {
                                      driver().cuStreamDestroy(static_cast<CUstream>(made));
                                    }});
}

llvm::Expected<GpuHandle<void *>> makeStream(const GpuDevice &gpu) {
  return makeStreamBy(gpu, "cuStreamCreate", [](const Driver &d, CUstream &stream) {
    return d.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  });
}

llvm::Expected<GpuHandle<void *>> makeLowPriorityStream(const GpuDevice &gpu) {
  const Driver &d = driver();
  int least = 0, greatest = 0;
  if (!d.cuCtxGetStreamPriorityRange || !d.cuStreamCreateWithPriority ||
      llvm::errorToBool(callIn(gpu, "cuCtxGetStreamPriorityRange", [&](const Driver &) {
        return d.cuCtxGetStreamPriorityRange(&least, &greatest);
      })))
    return makeStream(gpu);
  return makeStreamBy(gpu, "cuStreamCreateWithPriority", [&](const Driver &, CUstream &stream) {
    return d.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, least);
  });
}

llvm::Expected<GpuHandle<void *>> makeEvent(const GpuDevice &gpu, EventKind kind) {
  const unsigned flags = kind == EventKind::timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
  CUevent event = nullptr;
  if (llvm::Error error = callIn(gpu, "cuEventCreate",
                                 [&](const Driver &d) { return d.cuEventCreate(&event, flags); }))
    return error;
  return GpuHandle<void *>(event, {gpu.shared_from_this(), [](void *made) {
                                     driver().cuEventDestroy(static_cast<CUevent>(made));
                                   }});
}

llvm::Error record(const GpuDevice &gpu, void *event, StreamHandle stream) {
  return callIn(gpu, "cuEventRecord", [&](const Driver &d) {
    return d.cuEventRecord(static_cast<CUevent>(event), static_cast<CUstream>(stream));
  });
}

llvm::Error waitFor(const GpuDevice &gpu, void *event, StreamHandle stream) {
  return callIn(gpu, "cuStreamWaitEvent", [&](const Driver &d) {
    return d.cuStreamWaitEvent(static_cast<CUstream>(stream), static_cast<CUevent>(event),
                               CU_EVENT_WAIT_DEFAULT);
  });
}

llvm::Error callOnHost(const GpuDevice &gpu, void (*function)(void *data), void *data,
                       StreamHandle stream) {
  return callIn(gpu, "cuLaunchHostFunc", [&](const Driver &d) {
    return d.cuLaunchHostFunc(static_cast<CUstream>(stream), function, data);
  });
}

} // namespace specmv
