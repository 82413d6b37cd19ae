// Numbers and functions that planning and packing of BCSR share.
#pragma once

#include "generator/emit.h"
#include "generator/format.h"
#include "generator/shared/walk.h"
#include "templates/pack/bcsr_sizes.cuh"
#include "templates/shared/constants.cuh"

namespace specmv {

namespace key {
inline constexpr IntegerKey kBcsrR{"bcsr.r"}, kBcsrC{"bcsr.c"}, kBcsrLanes{"bcsr.lanes"},
    kBcsrFull{"full"}, kBcsrLocal{"local"};
} // namespace key

// Rows or columns of a block: its mask then fits 64 bits.
constexpr int64_t kMaxBcsrSide = kBcsrMaxSide;

constexpr Parameter kBcsrParameters[] = {{.name = key::kBcsrR.name,
                                          .least = 1,
                                          .most = kMaxBcsrSide,
                                          .isSettable = true,
                                          .tried = {1, 3, 8}},
                                         {.name = key::kBcsrC.name,
                                          .least = 1,
                                          .most = kMaxBcsrSide,
                                          .isSettable = true,
                                          .tried = {1, 4}},
                                         {.name = key::kBcsrLanes.name,
                                          .least = 1,
                                          .most = 32,
                                          .isPowerOfTwo = true,
                                          .isSettable = true,
                                          .tried = {32}},
                                         {.name = key::kBcsrFull.name, .least = 0, .most = 1},
                                         {.name = key::kBcsrLocal.name, .least = 0, .most = 1},
                                         kBlockParameter};

// BCSR is not planned if it needs more slots for each entry than this, the limit of ELL too. One
// step of each slice is not counted, since even a single block takes one. The profile gives an
// estimate, so packing allows twice as many.
constexpr int64_t kMaxBcsrPadding = 16;

// Block rows that a warp multiplies together.
constexpr int64_t bcsrSliceRows(int64_t lanes) { return 32 / lanes; }

// If this many steps need more than `padding` slots for each entry, says so in a sentence; else "".
// A step is a block for each lane of a warp.
std::string whyNotBcsr(int64_t r, int64_t c, int64_t steps, int64_t slices, int64_t nnz,
                       int64_t padding);

// True if the kernels have the lanes of a block row as an argument; the logarithm of the lanes, and
// its name among the numbers of a layout.
inline bool bcsrIsGeneral(const Plan &plan) { return plan.get(key::kBcsrLanes) == kAsArgument; }
int64_t bcsrLaneBits(const Plan &plan);
constexpr const char *kBcsrLaneBits = "laneBits";

// The types of a block's column and of its mask.
ElementType bcsrLocalType(bool local, ElementType column);
ElementType bcsrLocalType(const Plan &plan);
ElementType bcsrMaskType(int64_t r, int64_t c);

constexpr PaceRates kBcsrPace("bcsr");
constexpr Rate kBcsrFlight[] = {
    {"bcsr.flightF32",
     "bytes of values in f32 in flight on an SM that reach 0.92 of the possible memory rate", 6500},
    {"bcsr.flightF64",
     "bytes of values in f64 in flight on an SM that reach 0.92 of the possible memory rate",
     9800}};
// A lane waits for memory once for each batch, about a 3 x 3 block, for as long as two passes take;
// a small block costs at least one pass.
constexpr Rate kBcsrValuesPerPass{
    "bcsr.valuesPerPass", "values of blocks that cost as much as a pass of CSR-vector's loop", 4.5,
    kNoFit};
constexpr Rate kBcsrPieceNs{
    "bcsr.pieceNs",
    "nanoseconds of a piece of a block, whose column, mask and x are loaded, if all SMs work",
    0.0016, kWideFit};

// L1 of an SM delivers 128 bytes a clock. The lanes of a warp share them where they read the same
// block, which gets rarer the more blocks differ. Fitted on an H200 to elasticity:n=45 with 27, 540
// and 2,700 different blocks of 3 x 3 (tests/bench/results/2026-11-27c-h200-blocks.jsonl.gz).
constexpr Rate kBcsrTableNs{
    "bcsr.tableNs", "nanoseconds of a load of 16 bytes from a table of blocks, if all SMs work",
    0.0003, kWideFit};
constexpr Rate kBcsrTableSpreadNs{
    "bcsr.tableSpreadNs",
    "nanoseconds that such a load takes more for each doubling of the different blocks beyond 32",
    0.00018, kWideFit};

// The slices, each of `bcsrSliceRows` block rows, and the steps of all of them.
struct BcsrCounts {
  int64_t rows = 0, slices = 0, steps = 0;
};
// The arrays and arguments of the kernel.
Fields bcsrFields(const Plan &plan, const Problem &problem, const BcsrCounts &counts);

// The counts that packing for a plan makes of a matrix: slices and their steps, blocks, and the
// least and the greatest local column.
struct BcsrBlocks {
  int64_t slices, steps, blocks, least, most;
};
// Fails if the plan does not fit a matrix with these counts.
llvm::Error checkBcsrBlocks(const Plan &plan, const MatrixSize &a, const BcsrBlocks &found);

std::string bcsrOffer(const PlanRequest &in, std::vector<Plan> &out);
Traffic bcsrTraffic(const PlanRequest &in, const Plan &plan);
llvm::Expected<Layout> bcsrLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
