// What the times of a matrix's set-ups come to: our set-up in products, and when it has paid
// against the best that cuSPARSE does with a set-up of its own.
#pragma once

#include "runtime/lab/bench/setup_time.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace specmv {

// The whole time of n products is setupUs + n productUs.
struct CostLine {
  double setupUs, productUs;
};
// The least number of products that takes `ours` less time than each of the others; nullopt if
// there is none, or nothing to compare with.
std::optional<double> paidAfter(const CostLine &ours, llvm::ArrayRef<CostLine> others);

// Our set-up from one state and one side.
struct SetupFigure {
  std::string state;
  Side from = Side::device;
  int64_t products = 0; // that it knew of; 0: none
  double setupUs = 0, productUs = 0;
  double ratio = 0; // time of cuSPARSE's fastest product / time of ours; 0: none is right
  std::optional<double> breakEven = {}; // by paidAfter(), against all of cuSPARSE
  // For each of kProductCounts, whether ours takes less time than the best of cuSPARSE.
  std::vector<bool> isBelow = {};
  // If it knew the number of products: its total / the best of cuSPARSE's; 0: none is right.
  double overBest = 0;

  double inProducts() const { return setupUs / productUs; }
  // After so many products the set-up has paid, as everywhere else where that is said: it and these
  // products take less time than as many of cuSPARSE's fastest, whose own set-up counts nothing.
  std::optional<double> paysAfter() const {
    return paidAfter({setupUs, productUs}, CostLine{0, ratio * productUs});
  }
};

// Of all our contenders that gave a right product.
std::vector<SetupFigure> figuresOf(llvm::ArrayRef<SetupTime> times);

// The first whose product is wrong; null if there is none.
const SetupTime *wrongSetup(llvm::ArrayRef<SetupTime> times);

} // namespace specmv
