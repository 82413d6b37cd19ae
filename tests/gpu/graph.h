// Captures work of the tests into CUDA graphs.
#pragma once

#include "runtime/cuda/streams.h"
#include "tests/gpu/gpu.h"

#include <doctest/doctest.h>

namespace specmv {

// Captures the work that `body` puts on the stream and runs the graph `times` times.
template <class Body>
void runAsGraph(const GpuDevice &gpu, StreamHandle stream, int times, const Body &body) {
  const auto graph = llvm::cantFail(GpuGraph::capture(gpu, stream, [&] {
    body();
    return llvm::Error::success();
  }));
  REQUIRE(graph.has_value());
  for (int time = 0; time < times; ++time)
    llvm::cantFail(graph->launch(stream));
  llvm::cantFail(gpu.synchronize(stream));
}

} // namespace specmv
