// COO as a part of a plan: entries as triplets in the order of the rows, whose sums are added to y.
#pragma once

#include "generator/tree/part.h"

namespace specmv {

namespace key {
// Plans with 1 add each entry to y atomically, as the HYB that AlAhmadi et al. 2020 compare with.
inline constexpr IntegerKey kCooAtomic{"coo.atomic"};
} // namespace key

// coo.atomic in a format's table of parameters.
constexpr Parameter kAtomicParameter{.name = key::kCooAtomic.name,
                                     .least = 0,
                                     .most = 1,
                                     .isSettable = true,
                                     .isOptional = true,
                                     .reorders = true,
                                     .tried = {1}};

// Gives the plans the number if the caller fixed it to 1.
void addAtomic(const Fixed &fixed, std::vector<Plan> &plans);

// Adds to y. The part needs a share that reaches to the end of each row.
extern const Part kTripletPart;

// Fills the columns of the entries of a share and, where there is such an array, their rows, in the
// order of the matrix. If the layout has slots, the entries get those from share.firstSlot on.
void packTriplets(const CsrView &a, const Share &share, LayoutArray *row, Layout &out);

// The shared memory of an SM that the blocks of the kernel use, in bytes.
inline double sharedBytesOfTriplets(ValueType type) {
  return 6 * 1024 * static_cast<double>(sizeOf(type));
}

// The kernels that fill the arrays on a GPU (templates/pack/triplets.cuh).
extern const PartPacking kTripletPacking;
// Triplets of a block of the product's kernel.
int64_t tripletShare(const Plan &plan);

} // namespace specmv
