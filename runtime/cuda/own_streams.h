// The streams of a GPU that are specmv's own, and how they wait for the default stream.
#pragma once

#include "runtime/cuda/driver.h"
#include "runtime/cuda/work_stream.h"

namespace specmv {

// The streams of a GPU that nobody uses; more are made when they are needed. Thread-safe.
class OwnStreams {
public:
  llvm::Expected<WorkStream> take(const GpuDevice &gpu, StreamPriority priority);
  void clear();

private:
  Shelf usual_, low_;
};

// Lets streams wait for the default stream without a call that names it: such a call would break
// the capture of each stream of the program that waits for the default stream by itself. A stream
// of that kind, which has no work, comes by itself behind what the default stream has; others wait
// for an event there.
class DefaultStreamGate {
public:
  explicit DefaultStreamGate(const GpuDevice &gpu);
  // Several threads may call this at once: an event that another thread has recorded meanwhile is
  // behind the same work, and more.
  llvm::Error hold(const GpuDevice &gpu, StreamHandle stream) const;

private:
  UniqueHandle<CUstream, OwnedBy<CUresult (*)(CUstream)>> stream_; // null: it could not be made
  UniqueHandle<CUevent, OwnedBy<CUresult (*)(CUevent)>> event_;
};

} // namespace specmv
