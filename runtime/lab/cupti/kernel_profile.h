// Profiles one matrix in one type: the best predicted plan of each format, timed and counted.
#pragma once

#include "runtime/lab/cupti/kernel_metrics.h"
#include "runtime/plan/candidates.h"

#include <string>
#include <vector>

namespace specmv {

// The profile of one format on the matrix.
struct KernelProfile {
  std::string format;
  Plan plan = {};
  KernelMetrics metrics = {};
  Counted counted = {}; // the counts that the metrics were computed from
  std::string why = {}; // why there are no figures: not applicable, or not built
};

// Returns one per format of the offers, with its best predicted plan, if any, and no figures yet.
std::vector<KernelProfile> bestPlans(const Ranked &ranked);

// Builds each plan, checks its product and times it. Status::badInput if a product is wrong. Call
// it before any countKernels(): once CUPTI is active it may slow down all kernels.
llvm::Error timeKernels(const CsrView &a, const Problem &problem, Machine &machine,
                        std::vector<KernelProfile> &kernels);

// Counts for each timed plan. It builds the plans again, since the GPU may not have memory for all
// of them at once.
llvm::Error countKernels(const CsrView &a, const Problem &problem, Machine &machine,
                         std::vector<KernelProfile> &kernels);

} // namespace specmv
