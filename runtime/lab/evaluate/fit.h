// Fits the numbers of a GPU's model to measurements on that GPU.
#pragma once

#include "runtime/lab/evaluate/knobs.h"
#include "runtime/lab/evaluate/score.h"

namespace specmv {

struct FitOptions {
  int rounds = 30; // at most; it stops when the loss falls by less than 0.3 per mille
  // Regularizes numbers that few plans determine: the cost of moving a number's logarithm from the
  // start by its expected distance. A plan's error of 10 percent costs 0.01, on average.
  double pull = 0.03;
  std::vector<std::string> left = {}; // numbers not to move: "periodUs", "csr5.tilePasses"
};

struct FitResult {
  GpuModel model = {};
  std::vector<std::string> moved = {};  // the numbers that changed: "chainNs", "csr5.tilePasses"
  double lossBefore = 0, lossAfter = 0; // including the cost of the moves
};

// Moves the numbers of our model together, since they compensate for each other, as long as the
// predictions get closer to the times (loss.h); then finds the cautions (cautions.h). Each number
// stays between a third of its start and three times its start (some between a tenth and ten
// times). Plans that would never be chosen count less, and so do the plans of a matrix with many.
// The fit leaves alone the numbers of the data sheet, the rate of a copy (which is measured
// separately), the numbers that the options name, counts of passes, and numbers that do not
// influence the predictions of our plans. Matrices of unseen families (isKeptFromFits()) have no
// influence. The result does not depend on the number of cores.
FitResult fit(llvm::ArrayRef<const Measured *> all, const GpuModel &start,
              const FitOptions &options = {});

// Judges each matrix by a model fitted to the other families alone, which shows what to expect of
// unknown matrices. A matrix of an unseen family is judged by a fit to all others that are not. In
// the order of `all`, which must outlive the result.
std::vector<Judged> judgeLeftOut(llvm::ArrayRef<Measured> all, const GpuModel &start,
                                 Candidates candidates, const FitOptions &options = {});

} // namespace specmv
