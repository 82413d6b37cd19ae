// Reports on all matrices together: how much choosing by each model loses, and the models' errors
// by format.
#pragma once

#include "runtime/lab/evaluate/score.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// Shorter products are grouped separately: their time is mostly launch time, and the same kernel
// measured twice differs by 20 percent at the 90th percentile (measured, H200).
constexpr double kLongUs = 5;

// Models are named as in timeModels(). There are also "runoff", ours with a trial; "with-library",
// ours with cuSPARSE's formats among the candidates; and "left-out" and "left-out-runoff", ours
// fitted to the other families. "replays" is the choice of "traffic", judged by the times of
// replays; its errors are those of predicted replays.
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
  StripsReading reading = {}; // of the papers' models
  std::vector<RegretLine> regrets = {};
  // On matrices whose fastest product takes kLongUs or more; of replays, on all.
  std::vector<ErrorLine> errors = {};
};

// Evaluates each model, and our choice with cuSPARSE's formats among the candidates if they were
// measured.
Evaluation evaluate(llvm::ArrayRef<Measured> all, const GpuModel &gpu,
                    const StripsReading &reading = {});
// Adds the results of our model fitted without the family of each matrix.
void addLeftOut(llvm::ArrayRef<Measured> all, const GpuModel &gpu, Evaluation &evaluation);

std::string linesOf(const Evaluation &evaluation);
std::string tableOf(const Evaluation &evaluation);

} // namespace specmv::cli
