// What the parts of QCSR on the host share: the numbers of its plans, and functions of its files.
#pragma once

#include "generator/fields.h"
#include "generator/format.h"
#include "templates/pack/qcsr_sizes.cuh"
#include "templates/shared/constants.cuh"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

namespace specmv {

namespace key {
inline constexpr IntegerKey kQcsrD{"qcsr.d"}, kQcsrSlices{"qcsr.slices"}, kQcsrStage{"qcsr.stage"},
    kQcsrZerocopy{"qcsr.zerocopy"}, kQcsrRowLanes{"qcsr.lanes"}, kQcsrAlign{"qcsr.align"},
    kQcsrRows{"qcsr.rows"}, kQcsrFull{"full"}, kQcsrWindow{"window"};
inline constexpr RealKey kQcsrFill{"qcsr.fill"};
} // namespace key

// QCSR has two layouts: the paper's, in which a group of lanes adds up one segment at a time, and
// slices of 32 segments (qcsr.slices = 1), in which each lane adds up a segment of its own.
inline bool qcsrHasSlices(const Plan &plan) { return plan.get(key::kQcsrSlices) != 0; }
inline bool qcsrStages(const Plan &plan) { return plan.get(key::kQcsrStage) != 0; }
// Zero-copy: kernels read the matrix over the bus, so nothing is copied before the first product,
// but each product moves all of it. This is for matrices of which few products are wanted, up to
// this size (section 5.4 of the paper).
inline bool qcsrZeroCopy(const Plan &plan) { return plan.get(key::kQcsrZerocopy) != 0; }
constexpr int64_t kQcsrZeroCopyBytes = 16 << 20;

// The type of a column inside its tile: the narrowest that holds d - 1; in slices the narrowest
// that holds d, which stands for padding there.
ElementType qcsrLocalType(int64_t d);
ElementType qcsrSliceLocalType(int64_t d);

// In slices: the type of a row inside its chunk, and the type of a word, which has a lane's rows of
// several consecutive slices. A word has room for no more slices than a tile can have.
ElementType qcsrRowType(int64_t rows);
ElementType qcsrRowWordType(int64_t rows);

// The largest number that the type of columns must hold: a column or, in slices, a batch's word.
int64_t qcsrColumnBound(const Plan &plan, int64_t cols);

// The most rows of a chunk.
constexpr int64_t kQcsrMaxRows = kQcsrBlockRows;

// The greatest power of two that is not above x, at least 1.
inline int64_t qcsrPowerBelow(int64_t x) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(1, x))));
}

// Threads that an SM must hold if x is staged: their loads are enough to cover the latency of
// memory, and each has 64 registers.
constexpr int64_t kQcsrThreadsPerSm = 1024;

// Chunks of rows that a block owns: one for each warp in slices without staging, else one.
inline int64_t qcsrChunksPerBlock(const Plan &plan) {
  return qcsrHasSlices(plan) && !qcsrStages(plan) ? plan.get(key::kBlock) / 32 : 1;
}

// The shared memory of a block: the sums of its rows and a tile of x. In slices, instead of the
// tile, a dynamic array with the columns of it that the widest chunk needs (the window).
constexpr int64_t kQcsrSharedBytes = 48 << 10;       // all that CUDA grants static arrays
constexpr int64_t kQcsrMostDynamicBytes = 227 << 10; // all that any GPU has so far (sm_90)
int64_t qcsrWindowBytes(const Plan &plan, ValueType type);
int64_t qcsrSharedBytes(const Plan &plan, ValueType type);
llvm::Error checkQcsrShared(const Plan &plan, ValueType type);

// The counts of a matrix in the paper's layout: rows, chunks of rows, their tiles, segments of
// Sparse tiles and the slots of these, and the slots of Full tiles.
struct QcsrTileCounts {
  int64_t rows = 0, chunks = 0, tiles = 0, segments = 0, slots = 0, fullSlots = 0;
};
// The counts in slices: also streams, batches, words of rows, and lines of 32 slots.
struct QcsrSliceCounts {
  int64_t rows = 0, chunks = 0, tiles = 0, streams = 0, batches = 0, rowWords = 0, lines = 0;
};
// The arrays and arguments of the kernels.
Fields qcsrTileFields(const Plan &plan, const Problem &problem, const QcsrTileCounts &n);
Fields qcsrSliceFields(const Plan &plan, const Problem &problem, const QcsrSliceCounts &n);

// Adds the plans of both layouts; if there are none, the sentence returned says why.
std::string qcsrOffer(const PlanRequest &in, std::vector<Plan> &out);

// What a profile tells of the aligned tiles of d x d: estimates from its samples, within the bounds
// that its exact counts set.
struct QcsrTiles {
  int64_t d;
  int64_t tiles;       // that have an entry
  int64_t segments;    // pairs (row, tile) that have an entry
  TileDensity density; // of sampled entries' tiles
  int64_t padded16;    // slots of all segments if each is padded to 16, as in the paper
};
// For a d above the profile's largest one, the counts of that one are a bound.
QcsrTiles qcsrTilesOf(const SparsityProfile &p, int64_t d);
const QcsrTiles &qcsrTilesOf(const PlanRequest &in, int64_t d); // once for each d

// Pairs (chunk of `rows` rows, tile) that have an entry.
double qcsrChunkTiles(const SparsityProfile &p, const QcsrTiles &tiles, int64_t rows);

// The density of the tiles in a bin of the profile: `most`, and `mean` if they are spread evenly.
// Those of the last bin count as full.
struct QcsrDensity {
  double mean, most;
};
QcsrDensity qcsrDensityOf(const SparsityProfile &p, int64_t d, int bin);

// The column spans of aligned blocks of `rows` rows, or of 32 rows if `rows` is less; null if the
// profile has not counted them. And the sum of these spans.
const SpanCount *qcsrSpans(const SparsityProfile &p, int64_t rows);
double qcsrSpanTotal(const SparsityProfile &p, int64_t rows);

// The plans in slices for one d.
std::vector<Plan> qcsrSlicesPlans(const PlanRequest &in, const QcsrTiles &tiles, bool stage);

// The bytes that a plan of either layout stores, estimated from the profile.
int64_t qcsrStoredBytes(const PlanRequest &in, const Plan &plan);

// The traffic of a product by either layout.
Traffic qcsrTraffic(const PlanRequest &in, const Plan &plan);

// An estimate of the slots of slices for chunks of `rows` rows.
int64_t qcsrSliceSlots(const SparsityProfile &p, const QcsrTiles &tiles, int64_t rows);

llvm::Expected<Layout> qcsrLayout(const CsrView &a, const Plan &plan, const Problem &problem);
llvm::Expected<Layout> qcsrSlicesLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
