// Which plans a trial runs: the few whose predictions lie near the best one, each where it can pay.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace specmv {

// How far a product's time may lie below its prediction, as seen from the prediction of another
// plan. In 91 of 100 pairs of plans whose predictions are within this part of each other, the
// second gains no more on the first than this beyond what was predicted; the medium pair is off by
// 4 percent (H200, tests/bench/results/2026-11-21c-h200.jsonl.gz: 131 pairs in 60 matrices and two
// types). So plans that are predicted to take longer by more than this part are not worth a trial.
constexpr double kNear = 0.1;
// Two of a format at most, since the errors of its plans are alike.
constexpr size_t kTriedPlans = 3, kTriedOfAFormat = 2;

// A plan as a trial sees it.
struct Foreseen {
  llvm::StringRef format;
  double productUs = 0; // predicted
};

// What a plan gains on another in so many products if its product is as much faster than predicted,
// beside that of the other one, as kNear allows. 0 products: very many, which pay for everything.
double possibleGainUs(const Foreseen &first, const Foreseen &other, int64_t products);

// The positions of the plans to run, of plans in the order of preference: the first, and up to two
// that are near it and for which the gain that is possible in so many products exceeds what it
// costs to try them. 0 products: very many. `costUs` is asked of plans that are near: the set-up of
// a further plan and its timing; of the first, which is set up anyway, the timing alone. Infinity:
// the plan cannot be had.
std::vector<size_t> plansToTry(llvm::ArrayRef<Foreseen> ranked, int64_t products,
                               llvm::function_ref<double(size_t)> costUs);

} // namespace specmv
