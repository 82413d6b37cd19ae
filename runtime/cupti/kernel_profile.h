// Profiles one matrix in one type: the best predicted plan of each format, timed and counted.
#pragma once

#include "runtime/candidates.h"
#include "runtime/cupti/kernel_metrics.h"

#include <string>
#include <vector>

namespace specmv {

// One format on the matrix.
struct KernelProfile {
  std::string format;
  Plan plan = {};
  KernelMetrics metrics = {};
  Counted counted = {}; // what the metrics were made from
  std::string why = {}; // why there are no figures: it does not apply, or could not be built
};

// One per format of the offers, with its best predicted plan, if any, and no figures yet.
std::vector<KernelProfile> bestPlans(const Ranked &ranked);

// Builds each plan, checks its product and times it. Status::badInput where a product is wrong.
// Call it before countKernels() of any matrix: CUPTI may slow down what runs in its presence.
llvm::Error timeKernels(const CsrView &a, const Problem &problem, Machine &machine,
                        std::vector<KernelProfile> &kernels);

// Builds each plan that was timed once more, since not all may fit the GPU side by side, and
// counts.
llvm::Error countKernels(const CsrView &a, const Problem &problem, Machine &machine,
                         std::vector<KernelProfile> &kernels);

} // namespace specmv
