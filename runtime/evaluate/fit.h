// Fits the numbers of a GPU's model to what was measured on that GPU.
#pragma once

#include "runtime/evaluate/score.h"

namespace specmv {

struct FitOptions {
  int rounds = 40; // at most; it ends when no number moves by more than half a percent
  // Holds a number that few plans tell of: its logarithm moves from the start at this price.
  double pull = 0.002;
  std::vector<std::string> left = {}; // numbers that stay: "periodUs", "csr5.tilePasses"
};

// The numbers of a model that a fit moves beside its rates, with their names.
llvm::ArrayRef<std::pair<const char *, double GpuModel::*>> fittedMembers();

struct FitResult {
  GpuModel model = {};
  std::vector<std::string> moved = {};  // the numbers that changed: "chainNs", "csr5.tilePasses"
  double lossBefore = 0, lossAfter = 0; // with the price of the moves
};

// Moves the rates of our model, one after another, each within a third and three times its start,
// as long as the predictions come nearer to the times: the mean over plans of a loss that grows
// with the square of the error's logarithm while that is small, and linearly beyond 15 percent.
// Plans that nobody would choose count less, and so do the plans of a family that has many. The
// numbers of the data sheet stay, and the rate of a copy, which is measured by itself, as well as
// those that the options name.
FitResult fit(llvm::ArrayRef<const Measured *> all, const GpuModel &start,
              const FitOptions &options = {});

// Each matrix judged by a model that was fitted to the other families alone: what to expect of
// matrices that no fit has seen. In the order of `all`, which must outlive the result.
std::vector<Judged> judgeLeftOut(llvm::ArrayRef<Measured> all, const GpuModel &start,
                                 Candidates candidates, const FitOptions &options = {});

} // namespace specmv
