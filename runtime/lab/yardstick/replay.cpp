// Captures a batch of products on a stream of its own and replays it.
#include "runtime/lab/yardstick/replay.h"

#include "runtime/cuda/graph.h"
#include "runtime/cuda/work_stream.h"

namespace specmv {

using Captured = llvm::Expected<std::optional<GpuGraph>>;

static Captured captured(const GpuDevice &gpu, const Enqueue &product, int count) {
  return GpuGraph::capture(gpu, product.stream, [&]() -> llvm::Error {
    for (int i = 0; i < count; ++i)
      if (llvm::Error error = product())
        return error;
    return llvm::Error::success();
  });
}

llvm::Expected<ReplayTime> measureReplay(const GpuDevice &gpu, const EnqueueOn &product,
                                         int64_t csrBytes, const Effort &effort) {
  if (csrBytes > gpu.info().l2Bytes)
    return ReplayTime{.why = llvm::formatv("it is timed up to {0} bytes of CSR, the size of L2",
                                           gpu.info().l2Bytes)};
  auto stream = gpu.workStream(); // the default stream cannot be captured
  if (!stream)
    return stream.takeError();
  auto graph = captured(gpu, product(stream->get()), effort.perBatch);
  if (!graph)
    return ReplayTime{.why = "it cannot be captured: " + describe(graph.takeError()).second};
  if (!*graph)
    return ReplayTime{.why = "the driver has no graphs"};
  const Enqueue replay([&] { return (*graph)->launch(stream->get()); }, stream->get());
  if (llvm::Error error = replay()) // the first one brings the graph to the GPU
    return error;
  Effort replays = effort;
  replays.perBatch = 1;
  auto us = measureWarm(gpu, replay, replays);
  if (llvm::Error error = gpu.synchronize(stream->get())) // before the graph is destroyed
    return llvm::joinErrors(std::move(error), us.takeError());
  if (!us)
    return us.takeError();
  return ReplayTime{.us = *us / effort.perBatch};
}

llvm::Expected<ReplayTime> measureReplay(const GpuProduct &product, const DeviceVectors &vectors,
                                         int64_t csrBytes, const Effort &effort) {
  if (llvm::Error error = product.gpu().synchronize(vectors.stream))
    return error;
  return measureReplay(
      product.gpu(), [&](StreamHandle stream) { return enqueue(product, vectors, stream); },
      csrBytes, effort);
}

llvm::Expected<ProductTimes> measureProduct(const GpuProduct &product, const DeviceVectors &vectors,
                                            int64_t csrBytes) {
  const Enqueue launches = enqueue(product, vectors);
  auto effort = effortFor(product.gpu(), launches);
  if (!effort)
    return effort.takeError();
  ProductTimes out;
  if (llvm::Error error = measureWarm(product.gpu(), launches, *effort).moveInto(out.us))
    return error;
  if (llvm::Error error = measureReplay(product, vectors, csrBytes, *effort).moveInto(out.replay))
    return error;
  return out;
}

} // namespace specmv
