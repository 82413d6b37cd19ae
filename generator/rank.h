// Prices plans and orders them, and chooses those that a trial runs.
#pragma once

#include "generator/format.h"
#include "models/predict/setup.h"
#include "models/predict/traffic.h"
#include "models/profile/samples.h"
#include "models/profile/value_facts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace specmv {

// --- Rank ----------------------------------------------------------------------------------------

// Prices plans and orders them. This is the only place where the traffic of a product is turned
// into time.

// A plan with its price.
struct Candidate {
  Plan plan;
  Traffic traffic = {};
  double predictedUs = 0;
  double comparedUs = 0;     // BothTimes::comparedUs()
  PredictedSetup setup = {}; // predicted; 0 unless it was priced
  // The time by which plans are ordered. It is longer than the prediction for kinds of plan whose
  // predictions have larger errors.
  double cautiousUs() const { return comparedUs * traffic.caution; }
};

// Sorts by ascending keys; candidates with equal keys keep their order. Sorts indices instead of
// candidates, since a candidate has half a kilobyte.
template <class KeyOf> void sortBy(std::vector<Candidate> &candidates, const KeyOf &keyOf) {
  std::vector<std::pair<decltype(keyOf(candidates[0])), size_t>> places;
  places.reserve(candidates.size());
  for (size_t i = 0; i < candidates.size(); ++i)
    places.emplace_back(keyOf(candidates[i]), i);
  if (std::is_sorted(places.begin(), places.end()))
    return;
  std::sort(places.begin(), places.end()); // stable by the second number
  std::vector<Candidate> sorted;
  sorted.reserve(candidates.size());
  for (const auto &[key, i] : places)
    sorted.push_back(std::move(candidates[i]));
  candidates = std::move(sorted);
}

// The plans of one offer with their prices, in the order of the offer. If the format has a
// shortlist: only its fastest plans, the best first.
std::vector<Candidate> priced(const Offer &offer, const PlanRequest &request);

// The plans of all offers, the best first; plans with equal times stay in the order of the offers.
std::vector<Candidate> rank(llvm::ArrayRef<Offer> offers, const PlanRequest &request);

// Returns true if the price of the plan depends on the counts of columns (Format::asksColumns).
bool asksColumns(const Plan &plan, const SparsityProfile &profile);

// Returns what rank() does for a request that differs from that of `ranked` only in its columns.
// `ranked` has all plans of the offers, in the order of rank(); plans that do not depend on columns
// keep their prices.
std::vector<Candidate> rankedByColumns(std::vector<Candidate> ranked, llvm::ArrayRef<Offer> offers,
                                       const PlanRequest &request);

// A plan with coded values costs more set-up, and its time is predicted from bytes alone. So it
// must be predicted to take less than this part of the plain plan's time.
constexpr double kWorthCoding = 0.97;

// Adds the best of the ranked plans once more, each with the coding that values with these facts
// fit, and ranks all. Formats offered the plans for plain values.
void addCoded(std::vector<Candidate> &ranked, const PlanRequest &request, const ValueFacts &facts);

// Samples the blocks of the matrix (models/profile/samples.h); nullopt if nobody can.
using BlockSampler =
    std::function<llvm::Expected<std::optional<RepeatedBlocks>>(int64_t r, int64_t c)>;

// Adds the plans of BCSR once more, with the codings of whole blocks that a sample of their blocks
// fits. Samples only blocks with which a plan could be faster than the best other one by more than
// `leastSavedUs`. There must be a plan.
llvm::Error addCodedBlocks(std::vector<Candidate> &ranked, const PlanRequest &request,
                           const BlockSampler &sample, double leastSavedUs);

// A plan with an order of rows and columns costs more set-up, and must therefore be predicted to
// take less than this part of the time of a plan without one.
constexpr double kWorthOrdering = 0.9;

// Adds plans with an order, which are priced for the permuted matrix, and ranks all.
void addOrdered(std::vector<Candidate> &ranked, std::vector<Candidate> ordered);

// The least time that a product of the plan could take in another order: as if x were read once.
double leastOrderedUs(const Candidate &candidate, const PlanRequest &request);

// --- Trial ---------------------------------------------------------------------------------------

// Chooses the plans that a trial runs: the few whose predictions are near the best one and that can
// repay their cost.

// The part by which a product may be faster than predicted, compared with another plan. It was
// measured on 131 pairs of plans whose predictions are within this part of each other. In 91 of 100
// pairs, the second plan gains at most this part more on the first than predicted. The median error
// is 4 percent (H200, 60 matrices in two types, tests/bench/results/2026-11-21c-h200.jsonl.gz). So
// plans that are predicted to take longer by more than this part are not worth a trial.
constexpr double kNear = 0.1;
// A trial runs at most two plans of a format, since the predictions of its plans have similar
// errors.
constexpr size_t kTriedPlans = 3, kTriedOfAFormat = 2;

// A plan as a trial sees it.
struct Foreseen {
  llvm::StringRef format;
  double productUs = 0; // predicted
};

// The microseconds that `other` saves in this many products if it is faster than predicted,
// compared with `first`, by kNear. 0 stands for very many products, which repay any cost.
double possibleGainUs(const Foreseen &first, const Foreseen &other, int64_t products);

// The positions of the plans to run; `ranked` is in the order of preference. They are the first,
// and up to two that are near it and whose possible gain exceeds the cost of trying them. `costUs`
// gives the cost of trying a plan: set-up and timing, but for the first plan, which is set up
// anyway, the timing alone. Infinity means that the plan cannot be built. 0 products stand for very
// many.
std::vector<size_t> plansToTry(llvm::ArrayRef<Foreseen> ranked, int64_t products,
                               llvm::function_ref<double(size_t)> costUs);

} // namespace specmv
