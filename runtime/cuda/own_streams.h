// Keeps specmv's own streams of a GPU, and makes them wait for the default stream.
#pragma once

#include "runtime/cuda/driver.h"
#include "runtime/cuda/streams.h"

namespace specmv {

// Keeps unused streams of a GPU, and makes more when needed. Thread-safe.
class OwnStreams {
public:
  llvm::Expected<WorkStream> take(const GpuDevice &gpu, StreamPriority priority);
  void clear();

private:
  Shelf usual_, low_;
};

// Makes streams wait for the default stream without a call that names it: such a call would break
// every capture on a stream that synchronizes with the default stream. Instead, an event is
// recorded on an idle stream of that kind, which CUDA orders behind the default stream, and other
// streams wait for the event.
class DefaultStreamGate {
public:
  explicit DefaultStreamGate(const GpuDevice &gpu);
  // Thread-safe: if another thread records the event meanwhile, it is behind the same work, and
  // more.
  llvm::Error hold(const GpuDevice &gpu, StreamHandle stream) const;

private:
  UniqueHandle<CUstream, OwnedBy<CUresult (*)(CUstream)>> stream_; // null: it could not be made
  UniqueHandle<CUevent, OwnedBy<CUresult (*)(CUevent)>> event_;
};

} // namespace specmv
