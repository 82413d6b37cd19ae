// Prices plans and orders them: the one place where what a product moves and does becomes time.
#pragma once

#include "generator/format.h"
#include "models/predict/traffic.h"

#include <vector>

namespace specmv {

// A plan with its price.
struct Candidate {
  Plan plan;
  Traffic traffic = {};
  double predictedUs = 0;
};

// The plans of one offer, priced. Where the format keeps a shortlist these are its fastest, best
// first; else all, as they were offered.
std::vector<Candidate> priced(const Offer &offer, const PlanRequest &request);

// Those of all offers, best first; plans that tie stay in the order of the offers.
std::vector<Candidate> rank(llvm::ArrayRef<Offer> offers, const PlanRequest &request);

} // namespace specmv
