// Which plan is worth its set-up, if it is known how many products there will be.
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

// The one with the least total for so many products; of equal ones the first. 0 if there is none.
size_t chooseFor(int64_t products, llvm::ArrayRef<Worth> candidates);

// The least number of products for which `other` has the smaller total; kNever if there is none.
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
int64_t breakEven(const Worth &first, const Worth &other);

// What follows from the size alone: CSR as it is, whose product takes no longer, each entry
// gathering a sector of its own; and the time than which no plan's product is shorter.
Worth csrAsItIs(const SetupSize &size, KernelState kernel, const GpuModel &gpu);
double productUsAtLeast(const SetupSize &size, const GpuModel &gpu);

// For fewer products than this a profile cannot pay, whatever it may find: even the best plan,
// packed in no time, would not make up for the profile against CSR as it is.
int64_t leastProductsToProfile(const SetupSize &size, KernelState csrKernel, KernelState profile,
                               const GpuModel &gpu);

} // namespace specmv
