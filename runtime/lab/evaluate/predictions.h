// Predicts plans while a fit moves the numbers of a model, and computes slopes.
#pragma once

#include "runtime/lab/evaluate/fit.h"

namespace specmv {

// Logarithms of predicted / measured times, as functions of the positions of the knobs. A knob
// changes the predictions of only a few plans; these are found once, and only they are predicted
// again for its slopes.
class Predictions {
public:
  Predictions(std::vector<FitPlan> plans, GpuModel start, std::vector<Knob> knobs);

  const std::vector<FitPlan> &plans() const { return plans_; }
  const std::vector<Knob> &knobs() const { return knobs_; }
  GpuModel model(const std::vector<double> &moved) const { return movedBy(start_, knobs_, moved); }

  std::vector<double> errors(const std::vector<double> &moved) const;
  // Returns the slopes of the errors at this point, for each plan.
  std::vector<SparseRow> slopes(const std::vector<double> &moved,
                                const std::vector<double> &errors) const;

private:
  std::vector<double> errorsOf(const std::vector<size_t> &plans, const GpuModel &gpu) const;
  void findAffected();
  std::vector<size_t> plansThatRead(const std::vector<size_t> &knobs,
                                    const std::vector<double> &before) const;

  GpuModel start_;
  std::vector<FitPlan> plans_;
  std::vector<Knob> knobs_;
  std::vector<std::vector<size_t>> affected_ = {}; // the plans of each knob
};

} // namespace specmv
