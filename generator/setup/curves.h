// The kernels that measure a GPU's curves (templates/curves/): their sources, arguments and
// launches.
#pragma once

#include "generator/setup/packing.h"
#include "generator/setup/workspace.h"
#include "models/csr.h"

namespace specmv {

// The source of the kernels that read memory in order, follow a chain, and do nothing.
const KernelSource &curvesSource();
// The source of the kernels that gather values of this type.
const KernelSource &gatherSource(ValueType type);

// The arrays of these kernels: the data that they read, and their results, which are a sum for each
// block or the word at which a chain ended.
constexpr const char *kCurveData = "data", *kCurveSums = "sums", *kCurveAt = "at";
// The element type of kCurveData if values are gathered from it; it is as wide as a value.
ElementType gatheredElement(ValueType type);

// Fills the data with pseudo-random bits.
SetupLaunch fillLaunch(int64_t bytes);

// Reads a working set, a multiple of kStreamChunkBytes, `passes` times.
constexpr int64_t kStreamChunkBytes = 16 << 10;
SetupLaunch streamLaunch(int64_t bytes, int64_t passes, int64_t blocks);

// Each thread gathers `count` values, rounded up to whole batches, from random sectors of a working
// set of 2^k bytes; `together` lanes read from one sector.
struct GatherLaunch {
  SetupLaunch launch;
  int64_t sectors; // requested by all warps
};
GatherLaunch gatherLaunch(ValueType type, int64_t bytes, int64_t together, int64_t count,
                          int64_t blocks);

// Each thread gathers values from an array of kSharedGatherValues in shared memory; the warps make
// `warpGathers` gathers in all.
constexpr int64_t kSharedGatherValues = 1 << 10;
struct SharedGatherLaunch {
  SetupLaunch launch;
  int64_t warpGathers;
};
SharedGatherLaunch sharedGatherLaunch(ValueType type, int64_t count, int64_t blocks);

// Make a chain of pointers through a working set of 2^k bytes, and follow it for `steps` steps.
SetupLaunch chainLaunch(int64_t bytes);
SetupLaunch chaseLaunch(int64_t steps);

SetupLaunch emptyLaunch();

} // namespace specmv
