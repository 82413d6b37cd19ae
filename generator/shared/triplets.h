// Packing of triplets, shared by COO and the tail of HYB.
#pragma once

#include "generator/emit.h"
#include "generator/format.h"

namespace specmv {

// Entries beyond the first k of their row.
int64_t tailEntries(const SparsityProfile &p, int64_t k);
int64_t tailEntries(const CsrView &a, int64_t k);

// Fills row and col with the entries beyond the first k of their row, in the order of the matrix,
// and, where there are slots, gives these entries the slots from firstSlot on.
void packTail(const CsrView &a, int64_t k, int64_t firstSlot, LayoutArray &row, LayoutArray &col,
              Slots &slots);

// Adds the arrays "row" and `col` of the entries beyond the first k of their row, `count` of them,
// in the order of the matrix; their slots, from firstSlot on; and what coo() needs besides.
void packTriplets(const CsrView &a, const Plan &plan, const Problem &problem, int64_t k,
                  int64_t count, const char *col, int64_t firstSlot, Layout &out);

// The kernel that adds these entries to y, its plan constant, and its launch.
Kernel cooKernel(const Plan &plan, const Problem &problem, const char *col);
PlanConstant cooConstant(const Plan &plan);
void addCooLaunch(Steps &out, const Plan &plan, const Problem &problem, const Layout &layout,
                  const char *col);

// Adds to the traffic of what stores y that of `count` triplets, the longest row having k entries
// less than the profile's.
void addCooTraffic(Traffic &t, const PlanRequest &in, const Plan &plan, int64_t k, int64_t count);

} // namespace specmv
