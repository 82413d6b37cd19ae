// What the parts of QCSR on the host share: the numbers of its plans, and its steps to a layout.
#pragma once

#include "generator/fields.h"
#include "generator/format.h"
#include "templates/shared/constants.cuh"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

namespace specmv {

// QCSR has two layouts: the paper's, where a group of lanes adds a segment at a time, and slices of
// 32 segments (qcsr.slices = 1), where each lane adds its own.
inline bool qcsrHasSlices(const Plan &plan) { return plan.get("qcsr.slices") != 0; }
inline bool qcsrStages(const Plan &plan) { return plan.get("qcsr.stage") != 0; }
// Kernels read the matrix over the bus: nothing to copy, but every product moves it all. For
// matrices of which few products are wanted, up to this size (section 5.4 of the paper).
inline bool qcsrZeroCopy(const Plan &plan) { return plan.get("qcsr.zerocopy") != 0; }
constexpr int64_t kQcsrZeroCopyBytes = 16 << 20;

// The type of a column inside its tile: the narrowest that holds d - 1 or, in slices, where d
// stands for padding, d.
ElementType qcsrLocalType(int64_t d);
ElementType qcsrSliceLocalType(int64_t d);

// In slices, the type of a row inside its chunk, and that of the words in which a lane's rows of
// consecutive slices lie: no wider than a tile has slices.
ElementType qcsrRowType(int64_t rows);
ElementType qcsrRowWordType(int64_t rows);

// The largest number that the type of columns must hold: a column or, in slices, a batch's word.
int64_t qcsrColumnBound(const Plan &plan, int64_t cols);

// Most rows of a chunk.
constexpr int64_t kQcsrMaxRows = 4096;

// The power of two next below, at least 1.
inline int64_t qcsrPowerBelow(int64_t x) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(1, x))));
}

// Threads that an SM shall hold where x is staged: their loads are enough to cover the latency of
// memory, and each has 64 registers.
constexpr int64_t kQcsrThreadsPerSm = 1024;

// Chunks of rows that a block owns: its warps have one each, or it has one.
inline int64_t qcsrChunksPerBlock(const Plan &plan) {
  return qcsrHasSlices(plan) && !qcsrStages(plan) ? plan.get("block") / 32 : 1;
}

// Shared memory of a block: the sums of its rows and the x tile, or in slices the columns of it
// that the widest chunk needs, which are a dynamic array.
constexpr int64_t kQcsrSharedBytes = 48 << 10;       // all that CUDA grants static arrays
constexpr int64_t kQcsrMostDynamicBytes = 227 << 10; // all that any GPU has so far (sm_90)
int64_t qcsrWindowBytes(const Plan &plan, ValueType type);
int64_t qcsrSharedBytes(const Plan &plan, ValueType type);
llvm::Error checkQcsrShared(const Plan &plan, ValueType type);

// What is counted of a matrix in the paper's layout: rows, chunks of rows, their tiles, segments of
// Sparse tiles and the slots of these, and the slots of Full tiles.
struct QcsrTileCounts {
  int64_t rows = 0, chunks = 0, tiles = 0, segments = 0, slots = 0, fullSlots = 0;
};
// And in slices: streams, batches, words of rows, and lines of 32 slots.
struct QcsrSliceCounts {
  int64_t rows = 0, chunks = 0, tiles = 0, streams = 0, batches = 0, rowWords = 0, lines = 0;
};
// What the kernels take.
Fields qcsrTileFields(const Plan &plan, const Problem &problem, const QcsrTileCounts &counts);
Fields qcsrSliceFields(const Plan &plan, const Problem &problem, const QcsrSliceCounts &counts);

// The plans of either layout; the sentence that says why there are none.
std::string qcsrOffer(const PlanRequest &in, std::vector<Plan> &out);

// The plans in slices for one d.
std::vector<Plan> qcsrSlicesPlans(const PlanRequest &in, const TileCount &tiles, bool stage);

// The profile's tile counts for d; above its largest d the counts of that are a bound.
TileCount qcsrTilesOf(const SparsityProfile &p, int64_t d);

// What a plan of either layout stores, by the profile.
int64_t qcsrStoredBytes(const PlanRequest &in, const Plan &plan);

// What a product by either layout moves and does.
Traffic qcsrTraffic(const PlanRequest &in, const Plan &plan);

// The rates that it reads. In passes of CSR-vector's loop: a tile or segment of the paper's layout
// with its descriptors, its sum over lanes and a barrier; staging x; a pass of that layout's loop,
// which has half the loads in flight; a line of a slice; beginning a stream, which takes two more
// loads that wait for each other; ending a slice, a sum in shared memory. And the share of the
// memory rate that the kernels reach.
constexpr const char *kQcsrTilePasses = "qcsr.tilePasses", *kQcsrStagePasses = "qcsr.stagePasses",
                     *kQcsrLoopPasses = "qcsr.loopPasses", *kQcsrLinePasses = "qcsr.linePasses",
                     *kQcsrStreamPasses = "qcsr.streamPasses",
                     *kQcsrSlicePasses = "qcsr.slicePasses",
                     *kQcsrTilesEfficiency = "qcsr.tilesEfficiency";
// Of slices in float and in double, and where these stage x.
constexpr const char *kQcsrSlicesEfficiency[] = {"qcsr.slicesEfficiencyF32",
                                                 "qcsr.slicesEfficiencyF64"};
constexpr const char *kQcsrStagedEfficiency[] = {"qcsr.stagedEfficiencyF32",
                                                 "qcsr.stagedEfficiencyF64"};
constexpr const char *kQcsrRates[] = {
    kQcsrTilePasses,          kQcsrStagePasses,         kQcsrLoopPasses,
    kQcsrLinePasses,          kQcsrStreamPasses,        kQcsrSlicePasses,
    kQcsrTilesEfficiency,     kQcsrSlicesEfficiency[0], kQcsrSlicesEfficiency[1],
    kQcsrStagedEfficiency[0], kQcsrStagedEfficiency[1]};

// Slots of slices of a d, of chunks of `rows` rows: an estimate.
int64_t qcsrSliceSlots(const SparsityProfile &p, const TileCount &tiles, int64_t rows);

llvm::Expected<Layout> qcsrLayout(const CsrView &a, const Plan &plan, const Problem &problem);
llvm::Expected<Layout> qcsrSlicesLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
