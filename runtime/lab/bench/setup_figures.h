// Summarizes the times of a matrix's set-ups: our set-up in products, and when it has paid compared
// with cuSPARSE's best including its own set-up.
#pragma once

#include "runtime/lab/bench/setup_time.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace specmv {

// A cost of setupUs + n productUs for n products.
struct CostLine {
  double setupUs, productUs;
};
// Returns the least number of products for which `ours` takes less time than each of the others;
// nullopt if there is none, or nothing to compare with.
std::optional<double> paidAfter(const CostLine &ours, llvm::ArrayRef<CostLine> others);

// The figures of our set-up from one state and one side.
struct SetupFigure {
  std::string state;
  Side from = Side::device;
  int64_t products = 0; // the number known to it; 0: none
  double setupUs = 0, productUs = 0;
  double ratio = 0;                     // cuSPARSE's fastest product time / ours; 0: none is right
  std::optional<double> breakEven = {}; // by paidAfter(), against all of cuSPARSE's
  // For each of kProductCounts, whether ours takes less time than cuSPARSE's best.
  std::vector<bool> isBelow = {};
  // Our total / cuSPARSE's best, if ours knew the number of products; 0: none is right.
  double overBest = 0;

  double inProducts() const { return setupUs / productUs; }
  // Returns the number of products after which the set-up has paid: set-up and products take less
  // time than as many products of cuSPARSE's fastest format without its set-up.
  std::optional<double> paysAfter() const {
    return paidAfter({setupUs, productUs}, CostLine{0, ratio * productUs});
  }
};

// Returns the figures of all our contenders with a right product.
std::vector<SetupFigure> figuresOf(llvm::ArrayRef<SetupTime> times);

// Returns the first contender whose product is wrong; null if there is none.
const SetupTime *wrongSetup(llvm::ArrayRef<SetupTime> times);

} // namespace specmv
