// The packing of SELL: what its numbers may be, and its arrays; its slices are cuSPARSE's too.
#pragma once

#include "generator/emit.h"
#include "generator/layout.h"

namespace specmv {

// C, sigma, and the lanes that work on a row.
struct SellShape {
  int64_t slice, sigma, lanes;
};

SellShape sellShapeOf(const Plan &plan);

constexpr Parameter kSellParameters[] = {{.name = "sell.slice",
                                          .least = 2,
                                          .most = 256,
                                          .isPowerOfTwo = true,
                                          .isSettable = true,
                                          .tried = {2, 32, 128}},
                                         {.name = "sell.sigma",
                                          .least = 1,
                                          .most = 65536,
                                          .isPowerOfTwo = true,
                                          .isSettable = true,
                                          .tried = {1, 64, 1024}},
                                         {.name = "sell.lanes",
                                          .least = 1,
                                          .most = 16,
                                          .isPowerOfTwo = true,
                                          .isSettable = true,
                                          .tried = {1, 4}},
                                         // An SM has no more than 2,048 threads.
                                         {.name = "blocksPerSm", .least = 0, .most = 64},
                                         kBlockParameter};

// Of a sorted row its place in the window is stored, which is why a window has 65,536 rows at most.
constexpr ElementType kSellPermType = ElementType::u16;

struct SellCounts {
  int64_t rows = 0, slices = 0, slots = 0;
};
// What the kernel takes.
Fields sellFields(const Plan &plan, const Problem &problem, const SellCounts &counts);

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
