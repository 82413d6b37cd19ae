// CSR5 is priced by these rates, and by what a product moves and does.
#pragma once

#include "generator/format.h"
#include "generator/formats/csr5/layout.h"
#include "generator/shared/walk.h"

namespace specmv {

constexpr PaceRates kCsr5Pace("csr5"), kCsr5HotPace("csr5-hot");
constexpr const PaceRates *kCsr5Paces[] = {&kCsr5Pace}, *kCsr5HotPaces[] = {&kCsr5HotPace};
constexpr Rate kCsr5TilePasses{
    "csr5.tilePasses",
    "passes of CSR-vector's loop that a tile costs besides its batches, for "
    "its segmented sum and the rows that it stores",
    1, kNoFit};
constexpr Rate kCsr5BlockPasses{
    "csr5.blockPasses", "passes of CSR-vector's loop that the barrier of a block costs", 4, kNoFit};
constexpr Rate kCsr5Again{
    "csr5.again", "time of reading a tile again, in multiples of the time of the first reading",
    1.7};
constexpr Rate kCsr5GapNs{
    "csr5.gapNs",
    "nanoseconds of a row that ends in a tile with empty rows between others, if all SMs work",
    0.0028, kWideFit};
constexpr Rate kCsr5Rates[] = {kCsr5TilePasses, kCsr5BlockPasses, kCsr5Again, kCsr5GapNs};
constexpr Rate kCsr5HotStaged{"csr5-hot.staged",
                              "time of a staged byte of x, in multiples of the time at l2GBs", 1};
constexpr Rate kCsr5HotLaunches{
    "csr5-hot.launches", "launches that the kernel costs which collects x of the hot columns", 1,
    kNoFit};
constexpr Rate kCsr5HotRates[] = {kCsr5HotStaged, kCsr5HotLaunches};

// Threads of an SM that are enough to keep memory busy; each has 64 registers.
constexpr int64_t kCsr5BusyThreads = 1024;

inline int64_t csr5EmptyRows(const SparsityProfile &p) {
  return p.lengths.empty() || p.lengths.front().length > 0 ? 0 : p.lengths.front().rows;
}

Traffic csr5Traffic(const PlanRequest &in, const Plan &plan);

// Returns true if the share of the entries in a plan's hot columns must be counted: some columns
// are not hot.
bool asksForHotColumns(const SparsityProfile &p, const Plan &plan);

} // namespace specmv
