// Times products as replays of a CUDA graph, as a solver that captured its loop runs them. The host
// launches nothing between them, so that short products are not hidden behind its launches.
#pragma once

#include "runtime/measure/measure.h"

#include <string>

namespace specmv {

struct ReplayTime {
  double us = 0;        // of one product; 0 if it was not timed
  std::string why = {}; // why not; empty if it was
};

// Captures as many products as the effort has in a batch, and times the graph as often as it has
// batches. All products have the same vectors. A product that cannot be captured is no error.
// Matrices with more bytes than L2 are not timed: a product takes longer than the launch of the
// next one, so that a graph gains nothing.
llvm::Expected<ReplayTime> measureReplay(const GpuProduct &product, const DeviceVectors &vectors,
                                         int64_t csrBytes, const Effort &effort);
// Measures replays of a product that is put on any stream. Its arrays must be ready.
using EnqueueOn = std::function<Enqueue(StreamHandle)>;
llvm::Expected<ReplayTime> measureReplay(const GpuDevice &gpu, const EnqueueOn &product,
                                         int64_t csrBytes, const Effort &effort);

// The two figures of a product.
struct ProductTimes {
  double us = 0; // by launches one after another
  ReplayTime replay = {};
};
llvm::Expected<ProductTimes> measureProduct(const GpuProduct &product, const DeviceVectors &vectors,
                                            int64_t csrBytes);

} // namespace specmv
