// Makes page-locked memory, streams and events; each is freed in the context it was made in. Times
// work by events.
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

llvm::Expected<GpuHandle<void *>> makeStream(const GpuDevice &gpu) {
  CUstream stream = nullptr;
  if (llvm::Error error = callIn(gpu, "cuStreamCreate", [&](const Driver &d) {
        return d.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
      }))
    return error;
  return GpuHandle<void *>(stream, {gpu.shared_from_this(), [](void *made) {
                                      driver().cuStreamDestroy(static_cast<CUstream>(made));
                                    }});
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

llvm::Expected<double> GpuDevice::time(StreamHandle stream,
                                       const std::function<llvm::Error()> &body) const {
  auto begin = makeEvent(*this, EventKind::timed), end = makeEvent(*this, EventKind::timed);
  if (!begin || !end)
    return llvm::joinErrors(begin.takeError(), end.takeError());
  if (llvm::Error error = record(*this, begin->get(), stream))
    return error;
  if (llvm::Error error = body())
    return error;
  if (llvm::Error error = record(*this, end->get(), stream))
    return error;
  float milliseconds = 0;
  if (llvm::Error error = callIn(*this, "cuEventSynchronize", [&](const Driver &d) {
        return d.cuEventSynchronize(static_cast<CUevent>(end->get()));
      }))
    return error;
  if (llvm::Error error = callIn(*this, "cuEventElapsedTime", [&](const Driver &d) {
        return d.cuEventElapsedTime(&milliseconds, static_cast<CUevent>(begin->get()),
                                    static_cast<CUevent>(end->get()));
      }))
    return error;
  return milliseconds * 1000.0;
}

} // namespace specmv
