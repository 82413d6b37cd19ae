// Scores time models by their errors, and by the regret of choosing by them.
#pragma once

#include "runtime/lab/evaluate/measured.h"
#include "runtime/lab/evaluate/time_models.h"

namespace specmv {

// Selects the candidates among the plans that may be chosen without being named.
enum class Candidates : uint8_t { ours, withLibrary };

// One matrix in one type, as judged by a model.
struct Judged {
  const Measured *measured = nullptr;
  std::vector<std::optional<double>> predictedUs = {}; // one per plan
  std::vector<double> cautiousUs = {}; // with caution, for ordering; 0: no prediction
  // The candidates that the model predicts, in order, the best first.
  std::vector<size_t> ranked = {};
  std::optional<size_t> choice = {}; // index of a plan

  double fastestUs = 0; // over all candidates; 0 if there is none
  // Returns the choice's time divided by the fastest plan's; 0 if there is no choice.
  double regret() const { return choice ? measured->plans[*choice].us / fastestUs : 0; }
  // Returns |predicted - measured| / measured for a plan that the model predicts.
  double error(size_t plan) const;
};

// Chooses the candidate with the least time to order by, including the model's caution. `measured`
// must outlive the result.
Judged judge(const Measured &measured, const TimeModel &model, const GpuModel &gpu,
             Candidates candidates);

// Changes the choice to the fastest of the plans that a trial would run for very many products
// (plansToTry).
Judged afterTrial(Judged judged);

struct ErrorSummary {
  int64_t plans = 0;
  double mean = 0, median = 0, p90 = 0; // of absolute values, relative to the measured time
};
// Sums up the errors of one format's plans; "" means all of ours that may be chosen.
ErrorSummary errorsOf(llvm::ArrayRef<Judged> judged, llvm::StringRef format);
ErrorSummary errorsOfChoices(llvm::ArrayRef<Judged> judged);

struct RegretSummary {
  int64_t cases = 0;        // matrices in one type for which the model has a choice
  double mean = 0;          // geometric mean
  double low = 0, high = 0; // bounds of 95 percent of the means over redrawn matrices
  double p95 = 0, worst = 0;
  std::string worstMatrix = {};
};
RegretSummary regretOf(llvm::ArrayRef<Judged> judged);

} // namespace specmv
