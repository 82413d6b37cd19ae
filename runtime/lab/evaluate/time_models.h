// The models of time that plans are priced by: that of each paper, and ours, which chooses.
#pragma once

#include "generator/format.h"

#include <optional>
#include <string>

namespace specmv {

// What a paper says of the errors of its own model.
struct PublishedError {
  const char *format; // of ours that is its kernel
  double meanPercent;
  const char *where;
};

struct TimeModel {
  const char *name;
  // Microseconds of one product on the device; nullopt for a plan that the model knows nothing of,
  // or on a GPU whose model lacks its numbers.
  std::optional<double> (*predictUs)(const PlanRequest &request, const Plan &plan);
  llvm::ArrayRef<PublishedError> published;
  // How many times as long as predicted a plan counts where plans are ordered; null: once.
  double (*caution)(const PlanRequest &request, const Plan &plan) = nullptr;
};

llvm::ArrayRef<TimeModel> timeModels();
// Ours, whose least prediction, with its caution, is the choice.
const TimeModel &trafficModel();

} // namespace specmv
