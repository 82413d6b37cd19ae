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

// Some entries of a matrix as triplets: their number, the slot of the first one, and the name of
// the array of their columns.
struct Triplets {
  int64_t count, firstSlot;
  const char *col;
};

// Triplets of a block of their kernel.
int64_t tripletShare(const Plan &plan);

// What the blocks of an SM take of its shared memory.
inline double sharedBytesOfTriplets(ValueType type) {
  return 6 * 1024 * static_cast<double>(sizeOf(type));
}

// The arrays and arguments of triplets and their kernel.
Fields tripletFields(const Plan &plan, const Problem &problem, const Triplets &triplets);

// Fills the arrays of the entries beyond the first k of their row, in the order of the matrix.
void packTriplets(const CsrView &a, const Plan &plan, int64_t k, const Triplets &triplets,
                  Layout &out);

// The kernel that adds these entries to y, its plan constant, and its launch.
Kernel cooKernel(const Plan &plan, const Problem &problem, const char *col);
PlanConstant cooConstant(const Plan &plan);
void addCooLaunch(Steps &out, const Plan &plan, const Problem &problem, const Layout &layout,
                  const char *col);

// Adds the traffic of `count` triplets to that of the kernel that stores y. The longest row has k
// entries fewer here than in the profile.
void addCooTraffic(Traffic &t, const PlanRequest &in, const Plan &plan, int64_t k, int64_t count);

} // namespace specmv
