// How right models of time are: their errors, and the regret of choosing by them.
#pragma once

#include "runtime/lab/evaluate/measured.h"
#include "runtime/lab/evaluate/time_models.h"

namespace specmv {

// Which plans may be chosen, of those that may be chosen by themselves.
enum class Candidates : uint8_t { ours, withLibrary };

// One matrix in one type, as a model sees it.
struct Judged {
  const Measured *measured = nullptr;
  std::vector<std::optional<double>> predictedUs = {}; // of each plan
  std::vector<double> cautiousUs = {}; // the same as plans are ordered by; 0 without a prediction
  // The candidates that the model predicts, the best first.
  std::vector<size_t> ranked = {};
  std::optional<size_t> choice = {}; // a plan

  double fastestUs = 0; // of all candidates; 0 if there is none
  // The time of the choice in times of the fastest plan; 0 if there is no choice.
  double regret() const { return choice ? measured->plans[*choice].us / fastestUs : 0; }
  // |predicted - measured| / measured; of a plan that the model predicts.
  double error(size_t plan) const;
};

// The choice is the candidate with the least prediction, with the model's caution. `measured` must
// outlive the result.
Judged judge(const Measured &measured, const TimeModel &model, const GpuModel &gpu,
             Candidates candidates);

// The same with another choice: the fastest of the plans that a trial would run for very many
// products (plansToTry).
Judged afterTrial(Judged judged);

struct ErrorSummary {
  int64_t plans = 0;
  double mean = 0, median = 0, p90 = 0; // of the absolute values, as parts of the measured time
};
// Of the plans of one format; "" means all of ours that may be chosen.
ErrorSummary errorsOf(llvm::ArrayRef<Judged> judged, llvm::StringRef format);
ErrorSummary errorsOfChoices(llvm::ArrayRef<Judged> judged);

struct RegretSummary {
  int64_t cases = 0;        // matrices in one type for which the model has a choice
  double mean = 0;          // geometric
  double low = 0, high = 0; // between which 95 percent of the means lie if matrices are drawn anew
  double p95 = 0, worst = 0;
  std::string worstMatrix = {};
};
RegretSummary regretOf(llvm::ArrayRef<Judged> judged);

} // namespace specmv
