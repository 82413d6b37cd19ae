// Lists the models of time that price plans: one of each paper, and ours, which chooses.
#pragma once

#include "generator/format.h"
#include "models/predict/pmf/pmf.h"
#include "models/predict/strips/strips.h"

#include <optional>
#include <string>
#include <vector>

namespace specmv {

// The errors that a paper reports for its own model.
struct PublishedError {
  const char *format; // our format with the paper's kernel
  double meanPercent;
  const char *where;
};

struct TimeModel {
  const char *name;
  std::optional<double> (*predict)(const PlanRequest &request, const Plan &plan,
                                   const StripsReading &reading);
  llvm::ArrayRef<PublishedError> published;
  // Returns the time by which plans are ordered, without caution; null: that of predictUs().
  double (*comparedUs)(const PlanRequest &request, const Plan &plan) = nullptr;
  // Returns the factor on that time; null: 1.
  double (*caution)(const PlanRequest &request, const Plan &plan) = nullptr;
  StripsReading reading = {}; // how the model is read from its paper; ours has none

  // Predicts the microseconds of one product on the device; nullopt for a plan that the model does
  // not cover, or on a GPU whose model lacks its numbers.
  std::optional<double> predictUs(const PlanRequest &request, const Plan &plan) const {
    return predict(request, plan, reading);
  }
};

// Returns the papers' models by a reading; ours is the last.
std::vector<TimeModel> timeModels(const StripsReading &reading = {});
// Returns how the PMF model is read: it has no rounding to leave out, so that it is corrected if
// the others are not rounded.
PmfVariant pmfVariantOf(const StripsReading &reading);
// Returns our model. The choice is the plan with the least compared time, including caution.
const TimeModel &trafficModel();
// Returns the same model of the time by replays of a CUDA graph.
const TimeModel &replayModel();

} // namespace specmv
