// Chooses the plan whose set-up and products take the least time in all, for a known number of
// products.
#pragma once

#include "models/predict/setup.h"
#include "llvm/ADT/ArrayRef.h"

#include <limits>

namespace specmv {

// The predicted times of a plan.
struct Worth {
  double productUs = 0;
  double setupUs = 0;

  double totalUs(int64_t products) const {
    return setupUs + static_cast<double>(products) * productUs;
  }
};

// Returns the candidate with the least total for this many products; the first of equal ones, and 0
// if there are no candidates.
size_t chooseFor(int64_t products, llvm::ArrayRef<Worth> candidates);

// The least number of products for which `other` has the smaller total; kNever if there is none.
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
int64_t breakEven(const Worth &first, const Worth &other);

// Bounds that follow from the size alone. csrAsItIs() is for CSR in place, whose product hardly
// ever takes longer, since each entry is assumed to gather its own sector. productUsAtLeast() is a
// time below which no product with plain values can be; codings of values can be faster. Both are
// times that compare plans (BothTimes).
Worth csrAsItIs(const SetupSize &size, KernelState kernel, const GpuModel &gpu);
double productUsAtLeast(const SetupSize &size, const GpuModel &gpu);

// The time to put the rows and columns of a matrix into another order, and to profile it then.
double orderingUs(const SetupSize &size, const GpuModel &gpu);

// For fewer products than this, a profile cannot pay off. Compared with CSR in place, even the best
// plan, packed in no time, would not make up for the time of the profile.
int64_t leastProductsToProfile(const SetupSize &size, KernelState csrKernel, KernelState profile,
                               const GpuModel &gpu);

} // namespace specmv
