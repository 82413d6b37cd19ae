// Finds cautions: factors on the predictions of some kinds of plans for ordering, derived from the
// errors of plans that could be chosen.
#pragma once

#include "models/gpu.h"
#include "runtime/lab/evaluate/fit.h"

#include <string>

namespace specmv {

// The more predictions err, the more the least of several is too small. So plans are ordered by
// exp(3 m) times their prediction. Here m is twice the mean square of log(measured / predicted)
// over plans of the same kind that are predicted near the best one. Negative logarithms count as 0,
// and large ones as log 2. (Of the factors tried, from 1 to 8, 3 gave the least regret on left-out
// families.)
class Cautions {
public:
  // Finds the rates that are cautions ("hyb.caution", "qcsr-staged.cautionSeveral") and the plans
  // that read them.
  Cautions(llvm::ArrayRef<FitPlan> plans, const GpuModel &start,
           const std::vector<std::string> &left);

  // Sets the cautions from the errors of the plans (logarithms of predicted to measured time),
  // except those of one family. Kinds with few plans stay near the start.
  void set(GpuModel &gpu, const std::vector<double> &errors,
           const std::string &withoutFamily = "") const;

  const std::vector<std::string> &names() const { return names_; } // sorted: the most read first

private:
  std::vector<std::string> names_ = {};
  std::vector<double> start_ = {};
  llvm::ArrayRef<FitPlan> plans_;
  std::vector<uint64_t> read_ = {}; // per plan: bit i is set if it reads names_[i]
};

} // namespace specmv
