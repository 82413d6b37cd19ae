// Prepares calls of cuSPARSE several times, and replays batches of products.
#include "runtime/lab/yardstick/contender.h"

#include "runtime/cuda/streams.h"
#include "runtime/lab/yardstick/convert.h"
#include "runtime/measure/measure.h"
#include "runtime/measure/stopwatch.h"

namespace specmv {

// --- Preparation ---------------------------------------------------------------------------------

// Prepares a call of cuSPARSE several times, with the matrix and a handle ready.

// The first time may load a library that links code; the median of three does not have it.
constexpr int kPreparations = 3;

llvm::Expected<double> preparationUs(const std::shared_ptr<const GpuDevice> &gpu,
                                     const std::string &routine, const Layout &layout,
                                     ValueType type) {
  auto matrix = uploadedMatrix(*gpu, layout);
  if (!matrix)
    return matrix.takeError();
  auto handle = makeCusparseHandle(gpu);
  if (!handle)
    return handle.takeError();
  std::vector<double> times;
  for (int i = 0; i < kPreparations; ++i) {
    if (llvm::Error error = gpu->synchronize(nullptr))
      return error;
    const Stopwatch clock;
    auto call = CusparseCall::prepare(gpu, routine, (*matrix)->layout, (*matrix)->finder(), type,
                                      {.handle = *handle});
    if (!call)
      return call.takeError();
    if (llvm::Error error = gpu->synchronize(nullptr))
      return error;
    times.push_back(clock.milliseconds() * 1000);
  }
  return median(times);
}

// --- Replay --------------------------------------------------------------------------------------

// Captures a batch of products on a stream of its own and replays it.

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
