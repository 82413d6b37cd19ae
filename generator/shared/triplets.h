// Packing of triplets, shared by COO and the tail of HYB.
#pragma once

#include "generator/emit.h"
#include "generator/format.h"

namespace specmv {

// Entries beyond the first k of their row.
int64_t tailEntries(const SparsityProfile &p, int64_t k);
int64_t tailEntries(const CsrView &a, int64_t k);

// Fills col and, where there is one, row with the entries beyond the first k of their row, in the
// order of the matrix, and, where there are slots, gives these entries the slots from firstSlot on.
void packTail(const CsrView &a, int64_t k, int64_t firstSlot, LayoutArray *row, LayoutArray &col,
              Slots &slots);

// Some entries of a matrix as triplets: how many, the first one's slot, and the name of the array
// of their columns.
struct Triplets {
  int64_t count, firstSlot;
  const char *col;
};

// What triplets and their kernel take.
Fields tripletFields(const Plan &plan, const Problem &problem, const Triplets &triplets);

// Fills the arrays of the entries beyond the first k of their row, in the order of the matrix.
void packTriplets(const CsrView &a, const Plan &plan, int64_t k, const Triplets &triplets,
                  Layout &out);

// The kernel that adds these entries to y, its plan constant, and its launch.
Kernel cooKernel(const Plan &plan, const Problem &problem, const char *col);
PlanConstant cooConstant(const Plan &plan);
void addCooLaunch(Steps &out, const Plan &plan, const Problem &problem, const Layout &layout,
                  const char *col);

// Adds to the traffic of what stores y that of `count` triplets, the longest row having k entries
// less than the profile's.
void addCooTraffic(Traffic &t, const PlanRequest &in, const Plan &plan, int64_t k, int64_t count);

} // namespace specmv
