// The parts of BCSR: planning, packing, and what they must know of each other.
#pragma once

#include "generator/emit.h"
#include "generator/format.h"

namespace specmv {

constexpr int64_t kMaxBcsrSide = 8; // rows or columns of a block: its mask then fits 64 bits

constexpr PlanNumber kBcsrNumbers[] = {{"bcsr.r", 1, kMaxBcsrSide},
                                       {"bcsr.c", 1, kMaxBcsrSide},
                                       {"bcsr.lanes", 1, 32, /*isPowerOfTwo=*/true},
                                       {"full", 0, 1},
                                       {"local", 0, 1},
                                       kBlockNumber};

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

std::string bcsrPlans(const PlanRequest &in, std::vector<Plan> &out);
llvm::Expected<Layout> bcsrLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
