// What evaluate says of all matrices together: how much choosing by each model loses, and the
// models' errors by format.
#pragma once

#include "runtime/lab/evaluate/score.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// Products below this time are apart: there a launch's own time decides, and the same kernel
// measured twice differs by 20 percent at the 90th percentile (measured, H200).
constexpr double kLongUs = 5;

// A model is named as in timeModels(). Beside these there are "runoff", ours with a trial;
// "with-library", ours with cuSPARSE's formats among the candidates; and "left-out" and
// "left-out-runoff", ours as fitted to the other families.
struct RegretLine {
  std::string model;
  std::string group; // which matrices
  RegretSummary regret;
};
struct ErrorLine {
  std::string model, format; // "" means all, "chosen" the choices
  ErrorSummary error;
  const PublishedError *published = nullptr;
};
struct Evaluation {
  std::vector<RegretLine> regrets = {};
  std::vector<ErrorLine> errors = {}; // of matrices whose fastest product takes kLongUs and more
};

// Of each model, and of our choice with cuSPARSE's formats among the candidates where they were
// measured.
Evaluation evaluate(llvm::ArrayRef<Measured> all, const GpuModel &gpu);
// Adds what ours would be if it were fitted without the family of each matrix.
void addLeftOut(llvm::ArrayRef<Measured> all, const GpuModel &gpu, Evaluation &evaluation);

std::string linesOf(const Evaluation &evaluation);
std::string tableOf(const Evaluation &evaluation);

} // namespace specmv::cli
