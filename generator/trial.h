// Chooses the plans that a trial runs: the few whose predictions are near the best one and that can
// repay their cost.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace specmv {

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
