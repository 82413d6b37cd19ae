// The predictions of plans as a fit moves the numbers of a model, and their slopes.
#pragma once

#include "runtime/lab/evaluate/knobs.h"
#include "runtime/lab/evaluate/least_squares.h"
#include "runtime/lab/evaluate/loss.h"

namespace specmv {

// Logarithms of predicted times in times of the measured ones, by how far the knobs are moved. A
// knob changes the predictions of few plans only; those are found once, and predicted anew for its
// slopes.
class Predictions {
public:
  Predictions(std::vector<FitPlan> plans, GpuModel start, std::vector<Knob> knobs);

  const std::vector<FitPlan> &plans() const { return plans_; }
  const std::vector<Knob> &knobs() const { return knobs_; }
  GpuModel model(const std::vector<double> &moved) const { return movedBy(start_, knobs_, moved); }

  std::vector<double> errors(const std::vector<double> &moved) const;
  // The slopes of the errors at this point, of each plan.
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
  std::vector<std::vector<size_t>> affected_ = {}; // plans, of each knob
};

} // namespace specmv
