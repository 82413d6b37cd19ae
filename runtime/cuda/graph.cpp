// Captures what is put on a stream into a CUDA graph and launches it.
#include "runtime/cuda/graph.h"

#include "runtime/cuda/driver.h"

namespace specmv {

bool isCaptured(const Driver &d, StreamHandle stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return d.cuStreamIsCapturing &&
         d.cuStreamIsCapturing(static_cast<CUstream>(stream), &status) == CUDA_SUCCESS &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

bool isCaptured(const GpuDevice &gpu, StreamHandle stream) {
  const GpuDevice::Current current(gpu);
  return current.isCurrent() && isCaptured(driver(), stream);
}

static bool hasGraphs(const Driver &d) {
  return d.cuStreamBeginCapture && d.cuStreamEndCapture && d.cuGraphInstantiate &&
         d.cuGraphLaunch && d.cuGraphExecDestroy && d.cuGraphDestroy;
}

// Ends the capture and returns the captured work. It ends the capture even after a failure, since
// the stream would be unusable otherwise.
static llvm::Expected<GpuHandle<void *>> endCapture(const GpuDevice &gpu, CUstream stream,
                                                    llvm::Error failed) {
  CUgraph graph = nullptr;
  llvm::Error error = callIn(gpu, "cuStreamEndCapture",
                             [&](const Driver &d) { return d.cuStreamEndCapture(stream, &graph); });
  GpuHandle<void *> captured(graph, {gpu.shared_from_this(), [](void *made) {
                                       driver().cuGraphDestroy(static_cast<CUgraph>(made));
                                     }});
  if (!failed && !error)
    return captured;
  if (!failed)
    return error;
  llvm::consumeError(std::move(error)); // a consequence of the first error
  return failed;
}

llvm::Expected<std::optional<GpuGraph>>
GpuGraph::capture(const GpuDevice &gpu, StreamHandle stream,
                  const std::function<llvm::Error()> &body) {
  if (!hasGraphs(driver()))
    return std::nullopt;
  auto *const at = static_cast<CUstream>(stream);
  if (llvm::Error error = callIn(gpu, "cuStreamBeginCapture", [&](const Driver &d) {
        // Relaxed mode does not restrict other threads of the program.
        return d.cuStreamBeginCapture(at, CU_STREAM_CAPTURE_MODE_RELAXED);
      }))
    return error;
  auto captured = endCapture(gpu, at, body());
  if (!captured)
    return captured.takeError();
  CUgraphExec ready = nullptr;
  if (llvm::Error error = callIn(gpu, "cuGraphInstantiate", [&](const Driver &d) {
        return d.cuGraphInstantiate(&ready, static_cast<CUgraph>(captured->get()), 0);
      }))
    return error;
  const auto destroy = [](void *made) {
    driver().cuGraphExecDestroy(static_cast<CUgraphExec>(made));
  };
  return GpuGraph(gpu.shared_from_this(), {ready, {gpu.shared_from_this(), destroy}});
}

llvm::Error GpuGraph::launch(StreamHandle stream) const {
  return callIn(*gpu_, "cuGraphLaunch", [&](const Driver &d) {
    return d.cuGraphLaunch(static_cast<CUgraphExec>(ready_.get()), static_cast<CUstream>(stream));
  });
}

} // namespace specmv
