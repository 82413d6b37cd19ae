// The packing of SELL: the ranges of its numbers, and its arrays. cuSPARSE's sliced ELL uses the
// same slices.
#pragma once

#include "generator/emit.h"
#include "generator/layout.h"

namespace specmv {

namespace key {
inline constexpr IntegerKey kSellSlice{"sell.slice"}, kSellSigma{"sell.sigma"},
    kSellLanes{"sell.lanes"}, kSellBlocksPerSm{"blocksPerSm"};
} // namespace key

// C, sigma, and the lanes that work on a row.
struct SellShape {
  int64_t slice, sigma, lanes;
};

SellShape sellShapeOf(const Plan &plan);

constexpr Parameter kSellParameters[] = {
    {.name = key::kSellSlice.name,
     .least = 2,
     .most = 256,
     .isPowerOfTwo = true,
     .isSettable = true,
     .tried = {2, 32, 128}},
    {.name = key::kSellSigma.name,
     .least = 1,
     .most = 65536,
     .isPowerOfTwo = true,
     .isSettable = true,
     .tried = {1, 64, 1024}},
    {.name = key::kSellLanes.name,
     .least = 1,
     .most = 16,
     .isPowerOfTwo = true,
     .isSettable = true,
     .tried = {1, 4}},
    // An SM has no more than 2,048 threads.
    {.name = key::kSellBlocksPerSm.name, .least = 0, .most = 64},
    kBlockParameter};

// The order of rows is stored as their numbers within the window, so a window has at most 65,536
// rows.
constexpr ElementType kSellPermType = ElementType::u16;

struct SellCounts {
  int64_t rows = 0, slices = 0, slots = 0;
};
// The arrays and arguments of the kernel.
Fields sellFields(const Plan &plan, const Problem &problem, const SellCounts &counts);

// Whether a plan can have these numbers together.
bool isSell(const SellShape &shape);
// Says in a sentence why no plan can have these numbers together; "" if one can.
std::string whyNoSell(const SellShape &shape);

// Says in a sentence that `slots` slots are too many; "" if they are not.
std::string whyTooManySlots(const SellShape &shape, int64_t slots, int64_t nnz, int64_t longestRow);

// Slices of `slice` rows, with rows in the given order: the first slot of each slice, then the end
// of the last slice, and the longest row of the matrix.
struct Slices {
  std::vector<int64_t> start{0};
  int64_t longestRow = 0;
};
Slices slicesOf(const CsrView &a, const std::vector<int64_t> &order, int64_t slice);

// Fills the columns and slots of these slices, each stored column by column, as packPadded() does.
void packSlices(const CsrView &a, const std::vector<int64_t> &order, int64_t slice,
                const std::vector<int64_t> &start, LayoutArray &col, Slots &slots);

// Fail if no matrix, or not a matrix with these counts, can be packed for the plan.
llvm::Error checkSellShape(const Plan &plan);
llvm::Error checkSellSize(const Plan &plan, const MatrixSize &a, int64_t longestRow, int64_t slots);

llvm::Expected<Layout> sellLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
