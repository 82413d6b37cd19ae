// CUDA graphs: work that was put on a stream once and is run again by one call.
#pragma once

#include "runtime/cuda/device.h"

#include <functional>
#include <optional>

namespace specmv {

struct Driver;

// Whether what is put on the stream goes into a graph; false if the driver does not tell.
bool isCaptured(const GpuDevice &gpu, StreamHandle stream);
// This one is for callers in the context of the stream.
bool isCaptured(const Driver &d, StreamHandle stream);

class GpuGraph {
public:
  // Of what body() puts on the stream, which is not the default one; none of it runs by that. What
  // it refers to must be there as long as the graph is launched. nullopt if the driver has no
  // graphs (before CUDA 11.4).
  static llvm::Expected<std::optional<GpuGraph>> capture(const GpuDevice &gpu, StreamHandle stream,
                                                         const std::function<llvm::Error()> &body);

  // Runs all of it, in order on any stream.
  llvm::Error launch(StreamHandle stream) const;

private:
  GpuGraph(std::shared_ptr<const GpuDevice> gpu, GpuHandle<void *> ready)
      : gpu_(std::move(gpu)), ready_(std::move(ready)) {}

  std::shared_ptr<const GpuDevice> gpu_;
  GpuHandle<void *> ready_; // the CUgraphExec
};

} // namespace specmv
