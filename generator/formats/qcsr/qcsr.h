// Declarations that the files of QCSR on the host share: the numbers of its plans, and functions.
#pragma once

#include "generator/fields.h"
#include "generator/format.h"
#include "templates/pack/qcsr_sizes.cuh"
#include "templates/shared/constants.cuh"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <vector>

namespace specmv {

namespace key {
inline constexpr IntegerKey kQcsrD{"qcsr.d"}, kQcsrSlices{"qcsr.slices"}, kQcsrStage{"qcsr.stage"},
    kQcsrZerocopy{"qcsr.zerocopy"}, kQcsrRowLanes{"qcsr.lanes"}, kQcsrAlign{"qcsr.align"},
    kQcsrHalved{"qcsr.halved"}, kQcsrRows{"qcsr.rows"}, kQcsrFull{"full"}, kQcsrWindow{"window"};
inline constexpr RealKey kQcsrFill{"qcsr.fill"};
} // namespace key

// QCSR has two layouts. In the paper's, a group of lanes adds up one segment at a time. In slices
// of 32 segments (qcsr.slices = 1), each lane adds up a segment of its own.
inline bool qcsrHasSlices(const Plan &plan) { return plan.get(key::kQcsrSlices) != 0; }
inline bool qcsrStages(const Plan &plan) { return plan.get(key::kQcsrStage) != 0; }
// In the paper's layout, tiles are halves of halves, as printed, or aligned squares of d x d.
inline bool qcsrIsHalved(const Plan &plan) { return plan.get(key::kQcsrHalved, 0) != 0; }
// Zero-copy: kernels read the matrix over the bus, so nothing is copied before the first product,
// but each product moves the whole matrix. It is meant for few products with matrices of up to
// kQcsrZeroCopyBytes (section 5.4 of the paper).
inline bool qcsrZeroCopy(const Plan &plan) { return plan.get(key::kQcsrZerocopy) != 0; }
constexpr int64_t kQcsrZeroCopyBytes = 16 << 20;

// The type of a column inside its tile: the narrowest type for d - 1; in slices the narrowest for
// d, which stands for padding.
ElementType qcsrLocalType(int64_t d);
ElementType qcsrSliceLocalType(int64_t d);

// Slices have rows of the first type, counted inside a chunk, and words of the second, each with
// the rows of one lane in several consecutive slices. A tile has at least as many slices as a word.
ElementType qcsrRowType(int64_t rows);
ElementType qcsrRowWordType(int64_t rows);

// The largest number that the type of columns must represent: a column or, in slices, the word of a
// batch.
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

// The shared memory of a block: the sums of its rows and a tile of x. Slices have, instead of the
// tile, a dynamic array for the window: the columns of a tile that the widest chunk spans.
constexpr int64_t kQcsrSharedBytes = 48 << 10; // CUDA's limit for static arrays
int64_t qcsrWindowBytes(int64_t window, ValueType type);
// The name of the columns of a window among the numbers of a layout.
constexpr const char *kQcsrWindowNumber = "window";
int64_t qcsrSharedBytes(const Plan &plan, ValueType type);
llvm::Error checkQcsrShared(const Plan &plan, ValueType type);

// The counts of a matrix in the paper's layout: rows, chunks of rows, their tiles, segments of
// Sparse tiles and their slots, and the slots of Full tiles.
struct QcsrTileCounts {
  int64_t rows = 0, chunks = 0, tiles = 0, segments = 0, slots = 0, fullSlots = 0;
};
// The counts of a matrix in slices: rows, chunks and tiles, and streams, batches, words of rows,
// and lines of 32 slots.
struct QcsrSliceCounts {
  int64_t rows = 0, chunks = 0, tiles = 0, streams = 0, batches = 0, rowWords = 0, lines = 0;
};
// The arrays and arguments of the kernels.
Fields qcsrTileFields(const Plan &plan, const Problem &problem, const QcsrTileCounts &n);
Fields qcsrSliceFields(const Plan &plan, const Problem &problem, const QcsrSliceCounts &n);

// Adds the plans of both layouts; if there are none, the sentence returned says why.
std::string qcsrOffer(const PlanRequest &in, std::vector<Plan> &out);

// The aligned d x d tiles of a matrix, estimated from the samples of its profile, within the bounds
// of its exact counts.
struct QcsrTiles {
  int64_t d;
  int64_t tiles;       // tiles that have an entry
  int64_t segments;    // pairs (row, tile) that have an entry
  TileDensity density; // densities of the tiles of sampled entries
  int64_t padded16;    // slots of all segments if each is padded to 16, as in the paper
};
// For a d above the largest of the profile, the counts for the largest are a bound.
QcsrTiles qcsrTilesOf(const SparsityProfile &p, int64_t d);
const QcsrTiles &qcsrTilesOf(const PlanRequest &in, int64_t d); // computed once for each d

// Pairs (chunk of `rows` rows, tile) that have an entry.
double qcsrChunkTiles(const SparsityProfile &p, const QcsrTiles &tiles, int64_t rows);
double qcsrChunkTiles(const PlanRequest &in, const QcsrTiles &tiles, int64_t rows); // once for each

// The density of the tiles in a bin of the profile: the largest, and the mean if they are spread
// evenly. The tiles of the last bin count as full.
struct QcsrDensity {
  double mean, most;
};
QcsrDensity qcsrDensityOf(const SparsityProfile &p, int64_t d, int bin);

// The column spans of aligned blocks of `rows` rows, or of 32 rows if `rows` is less, and their
// sum. The pointer is null if the profile has not counted them.
const SpanCount *qcsrSpans(const SparsityProfile &p, int64_t rows);
double qcsrSpanTotal(const SparsityProfile &p, int64_t rows);

// The plans in slices for one d.
std::vector<Plan> qcsrSlicesPlans(const PlanRequest &in, const QcsrTiles &tiles, bool stage);

// The bytes that a plan of either layout stores, estimated from the profile.
int64_t qcsrStoredBytes(const PlanRequest &in, const Plan &plan);
// A bound of these bytes; the largest number if none is found sooner than they are.
int64_t qcsrBytesAtMost(const PlanRequest &in, const Plan &plan);

// The most bytes that a plan may store: 16 times those of CSR and a megabyte. ELL has the same
// limit.
int64_t qcsrMostBytes(const std::string &values, ValueType type, int64_t nnz);

// The traffic of a product by either layout.
Traffic qcsrTraffic(const PlanRequest &in, const Plan &plan);
std::optional<Traffic> qcsrLeastTraffic(const PlanRequest &in, const Plan &plan);

// An estimate of the slots of slices for chunks of `rows` rows.
int64_t qcsrSliceSlots(const SparsityProfile &p, const QcsrTiles &tiles, int64_t rows);

llvm::Expected<Layout> qcsrLayout(const CsrView &a, const Plan &plan, const Problem &problem);
llvm::Expected<Layout> qcsrSlicesLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
