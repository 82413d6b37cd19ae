// Makes streams of specmv's own, and lets them wait for the default stream.
#include "runtime/cuda/own_streams.h"

#include "runtime/cuda/overlap.h"
#include "runtime/cuda/owned.h"

namespace specmv {

static CUresult makeStream(const Driver &d, StreamPriority priority, CUstream &stream) {
  int least = 0, greatest = 0;
  if (priority == StreamPriority::low && d.cuCtxGetStreamPriorityRange &&
      d.cuStreamCreateWithPriority &&
      d.cuCtxGetStreamPriorityRange(&least, &greatest) == CUDA_SUCCESS)
    return d.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, least);
  return d.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
}

// `gpu` is the owner, which outlives its streams.
llvm::Expected<WorkStream> OwnStreams::take(const GpuDevice &gpu, StreamPriority priority) {
  Shelf &shelf = priority == StreamPriority::low ? low_ : usual_;
  std::shared_ptr<void> stream = shelf.take();
  if (!stream) {
    CUstream made = nullptr;
    if (llvm::Error error = callIn(gpu, "cuStreamCreate",
                                   [&](const Driver &d) { return makeStream(d, priority, made); }))
      return error;
    const OwnedBy<CUresult (*)(CUstream)> destroy{&gpu, driver().cuStreamDestroy};
    stream = std::shared_ptr<void>(
        made, [destroy](void *stream) { destroy(static_cast<CUstream>(stream)); });
  }
  return WorkStream(gpu.shared_from_this(), shelf, std::move(stream));
}

void OwnStreams::clear() {
  usual_.clear();
  low_.clear();
}

DefaultStreamGate::DefaultStreamGate(const GpuDevice &gpu) {
  const Driver &d = driver();
  const GpuDevice::Current current(gpu);
  CUstream stream = nullptr;
  CUevent event = nullptr;
  if (!current.isCurrent() || d.cuStreamCreate(&stream, CU_STREAM_DEFAULT) != CUDA_SUCCESS)
    return; // hold() works without it, or the next call reports the error
  stream_ = {stream, {&gpu, d.cuStreamDestroy}};
  if (d.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS)
    event_ = {event, {&gpu, d.cuEventDestroy}};
}

llvm::Error DefaultStreamGate::hold(const GpuDevice &gpu, StreamHandle stream) const {
  if (!event_)
    return gpu.synchronize(nullptr);
  if (llvm::Error error = record(gpu, event_.get(), stream_.get()))
    return error;
  return waitFor(gpu, event_.get(), stream);
}

llvm::Expected<WorkStream> GpuDevice::workStream(StreamPriority priority) const {
  return owned_->streams.take(owner(), priority);
}

llvm::Error GpuDevice::followDefaultStream(StreamHandle stream) const {
  return owned_->gate.hold(*this, stream);
}

} // namespace specmv
