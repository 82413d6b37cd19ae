// Wraps CUDA graphs: work that was put on a stream once and is run again by one call.
#pragma once

#include "runtime/cuda/device.h"

#include <functional>
#include <optional>

namespace specmv {

struct Driver;

// Returns true if the stream is being captured; false if the driver does not report it.
bool isCaptured(const GpuDevice &gpu, StreamHandle stream);
// Call this one in the context of the stream.
bool isCaptured(const Driver &d, StreamHandle stream);

class GpuGraph {
public:
  // Captures what body() puts on the stream, which must not be the default one, without running it.
  // Everything that the work refers to must exist as long as the graph is launched. nullopt if the
  // driver has no graphs (before CUDA 11.4).
  static llvm::Expected<std::optional<GpuGraph>> capture(const GpuDevice &gpu, StreamHandle stream,
                                                         const std::function<llvm::Error()> &body);

  // Runs all captured work, in order on any stream.
  llvm::Error launch(StreamHandle stream) const;

private:
  GpuGraph(std::shared_ptr<const GpuDevice> gpu, GpuHandle<void *> ready)
      : gpu_(std::move(gpu)), ready_(std::move(ready)) {}

  std::shared_ptr<const GpuDevice> gpu_;
  GpuHandle<void *> ready_; // the CUgraphExec
};

} // namespace specmv
