// How much worse than predicted plans of a kind count where plans are ordered: found from the
// errors of those plans that could be chosen.
#pragma once

#include "models/gpu.h"
#include "runtime/lab/evaluate/loss.h"

#include <string>

namespace specmv {

// The least of several predictions is too small the more, the more they err. So a plan counts as
// exp(3 m) of its prediction, where m is, over plans of its kind that are predicted near the best
// one, twice the mean square of the logarithm of measured to predicted time, counted where that is
// above 0, and at most as log 2. (Of the factors tried, from 1 to 8, this one gave the least regret
// on left-out families.)
class Cautions {
public:
  // Finds the rates that are cautions ("hyb.caution", "csr5.cautionWide") and which plans read
  // them.
  Cautions(llvm::ArrayRef<FitPlan> plans, const GpuModel &start,
           const std::vector<std::string> &left);

  // Sets them by the errors of the plans (logarithms of predicted to measured time), but those of
  // one family. Kinds with few plans keep near the start.
  void set(GpuModel &gpu, const std::vector<double> &errors,
           const std::string &withoutFamily = "") const;

  const std::vector<std::string> &names() const { return names_; } // those most plans read first

private:
  std::vector<std::string> names_ = {};
  std::vector<double> start_ = {};
  llvm::ArrayRef<FitPlan> plans_;
  std::vector<uint64_t> read_ = {}; // by a plan: bit i for names_[i]
};

} // namespace specmv
