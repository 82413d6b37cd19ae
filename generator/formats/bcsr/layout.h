// The parts of BCSR: planning, packing, and what they must know of each other.
#pragma once

#include "generator/emit.h"
#include "generator/format.h"

namespace specmv {

constexpr int64_t kMaxBcsrSide = 8; // rows or columns of a block: its mask then fits 64 bits

constexpr Parameter kBcsrParameters[] = {
    {.name = "bcsr.r", .least = 1, .most = kMaxBcsrSide, .isSettable = true, .tried = {1, 3, 8}},
    {.name = "bcsr.c", .least = 1, .most = kMaxBcsrSide, .isSettable = true, .tried = {1, 4}},
    {.name = "bcsr.lanes",
     .least = 1,
     .most = 32,
     .isPowerOfTwo = true,
     .isSettable = true,
     .tried = {32}},
    {.name = "full", .least = 0, .most = 1},
    {.name = "local", .least = 0, .most = 1},
    kBlockParameter};

// More slots for each entry than this and BCSR is not planned, as ELL is not. One step a slice,
// which even a single block takes, is never the matter. What a profile foretells is an estimate, so
// that packing allows twice as many.
constexpr int64_t kMaxBcsrPadding = 16;

// Block rows that a warp multiplies together.
constexpr int64_t bcsrSliceRows(int64_t lanes) { return 32 / lanes; }

// The sentence that says why so many steps (a block for each lane of a warp), with more than
// `padding` slots for each entry, are refused, or "".
std::string whyNotBcsr(int64_t r, int64_t c, int64_t steps, int64_t slices, int64_t nnz,
                       int64_t padding);

// The types of a block's column and of its mask.
ElementType bcsrLocalType(const Plan &plan);
ElementType bcsrMaskType(int64_t r, int64_t c);

// Share of the memory rate that the kernel reaches.
constexpr const char *kBcsrEfficiency = "bcsr.efficiency";
// Values of blocks that cost what a pass of CSR-vector's loop does: a lane waits for memory once a
// batch, which is about a 3 x 3 block, as long as two passes; a small block costs no less than a
// pass.
constexpr const char *kBcsrValuesPerPass = "bcsr.valuesPerPass";
constexpr const char *kBcsrRates[] = {kBcsrEfficiency, kBcsrValuesPerPass};

// Of slices, each of `bcsrSliceRows` block rows, and their steps, a block for each lane of a warp.
struct BcsrCounts {
  int64_t rows = 0, slices = 0, steps = 0;
};
// What the kernel takes.
Fields bcsrFields(const Plan &plan, const Problem &problem, const BcsrCounts &counts);

std::string bcsrOffer(const PlanRequest &in, std::vector<Plan> &out);
Traffic bcsrTraffic(const PlanRequest &in, const Plan &plan);
llvm::Expected<Layout> bcsrLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
