// The kernels that measure a GPU's curves (templates/curves/): their sources, arguments and
// launches.
#pragma once

#include "generator/setup/filling.h"
#include "models/csr.h"

namespace specmv {

// Of the kernels that read memory in order, follow a chain, and do nothing.
const KernelSource &curvesSource();
// Of those that gather values of this size.
const KernelSource &gatherSource(ValueType type);

// The arrays that these kernels read, and where they leave what they found: a sum for each block,
// or the word where a walk ended.
constexpr const char *kCurveData = "data", *kCurveSums = "sums", *kCurveAt = "at";
// The elements of kCurveData that values of a gather are, as wide as a value.
ElementType gatheredElement(ValueType type);

// Fills the data with bits without order.
SetupLaunch fillLaunch(int64_t bytes);

// Reads a working set, a multiple of kStreamChunkBytes, `passes` times.
constexpr int64_t kStreamChunkBytes = 16 << 10;
SetupLaunch streamLaunch(int64_t bytes, int64_t passes, int64_t blocks);

// `count` gathers, rounded up to whole batches, of each thread from random sectors of a working set
// of 2^k bytes; `together` lanes use one sector.
struct GatherLaunch {
  SetupLaunch launch;
  int64_t sectors; // that all warps ask for
};
GatherLaunch gatherLaunch(ValueType type, int64_t bytes, int64_t together, int64_t count,
                          int64_t blocks);

// The same from an array of kSharedGatherValues in shared memory: `warpGathers` in all.
constexpr int64_t kSharedGatherValues = 1 << 10;
struct SharedGatherLaunch {
  SetupLaunch launch;
  int64_t warpGathers;
};
SharedGatherLaunch sharedGatherLaunch(ValueType type, int64_t count, int64_t blocks);

// Makes a chain through a working set of 2^k bytes, and follows it for so many steps.
SetupLaunch chainLaunch(int64_t bytes);
SetupLaunch chaseLaunch(int64_t steps);

SetupLaunch emptyLaunch();

} // namespace specmv
