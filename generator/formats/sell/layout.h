// The packing of SELL: what its numbers may be, and its arrays; its slices are cuSPARSE's too.
#pragma once

#include "generator/emit.h"
#include "generator/layout.h"

namespace specmv {

// C, sigma, and the lanes that work on a row.
struct SellShape {
  int64_t slice, sigma, lanes;
};

constexpr PlanNumber kSellNumbers[] = {{"sell.slice", 2, 256, /*isPowerOfTwo=*/true},
                                       {"sell.sigma", 1, 65536, /*isPowerOfTwo=*/true},
                                       {"sell.lanes", 1, 16, /*isPowerOfTwo=*/true}};

// Of a sorted row its place in the window is stored, which is why a window has 65,536 rows at most.
constexpr ElementType kSellPermType = ElementType::u16;

// The sentence that says why no plan has these numbers together, or "".
std::string whyNoSell(const SellShape &shape);

// The sentence that says why so many slots are refused, or "".
std::string whyTooManySlots(const SellShape &shape, int64_t slots, int64_t nnz, int64_t longestRow);

// Where the slices of `slice` rows in this order begin: the first slot of each and the end, and the
// longest row of all.
struct Slices {
  std::vector<int64_t> start{0};
  int64_t longestRow = 0;
};
Slices slicesOf(const CsrView &a, const std::vector<int64_t> &order, int64_t slice);

// Fills the columns of such slices, each stored column by column; slots as in packPadded().
void packSlices(const CsrView &a, const std::vector<int64_t> &order, int64_t slice,
                const std::vector<int64_t> &start, LayoutArray &col, Slots &slots);

llvm::Expected<Layout> sellLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
