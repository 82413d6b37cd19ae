// Fits the numbers of a GPU's model to what was measured on that GPU.
#pragma once

#include "runtime/lab/evaluate/knobs.h"
#include "runtime/lab/evaluate/score.h"

namespace specmv {

struct FitOptions {
  int rounds = 30; // at most; it ends when the loss falls by less than 0.3 per mille
  // Holds a number that few plans tell of: what its logarithm costs if it moves from the start as
  // far as it is expected to. A plan's error of 10 percent costs 0.01, on average.
  double pull = 0.03;
  std::vector<std::string> left = {}; // numbers that stay: "periodUs", "csr5.tilePasses"
};

struct FitResult {
  GpuModel model = {};
  std::vector<std::string> moved = {};  // the numbers that changed: "chainNs", "csr5.tilePasses"
  double lossBefore = 0, lossAfter = 0; // with the price of the moves
};

// Moves the numbers of our model all together, since they make up for each other, each within a
// third and three times its start (some within a tenth and ten times), as long as the predictions
// come nearer to the times (loss.h); then finds the cautions (cautions.h). Plans that nobody would
// choose count less, and so do the plans of a family that has many. The numbers of the data sheet
// stay, and the rate of a copy, which is measured by itself, those that the options name, counts of
// passes, and those that no prediction of a plan of ours depends on. The result never depends on
// the number of cores.
FitResult fit(llvm::ArrayRef<const Measured *> all, const GpuModel &start,
              const FitOptions &options = {});

// Each matrix judged by a model that was fitted to the other families alone: what to expect of
// matrices that no fit has seen. In the order of `all`, which must outlive the result.
std::vector<Judged> judgeLeftOut(llvm::ArrayRef<Measured> all, const GpuModel &start,
                                 Candidates candidates, const FitOptions &options = {});

} // namespace specmv
