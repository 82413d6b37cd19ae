// Sums up bench --setup: the cost of our set-ups over all matrices, from each state and side.
#pragma once

#include "runtime/cli/bench/records.h"

namespace specmv::cli {

// A mean over matrices, and the worst of them.
struct WorstOf {
  double mean = 0, worst = 0;
  std::string matrix = {};
};

// A figure and its matrix.
struct FigureOf {
  const SetupFigure *figure;
  const std::string *matrix;
};
WorstOf geometric(llvm::ArrayRef<FigureOf> list, double (*valueOf)(const SetupFigure &));

// The totals of one type, over the records that fit the L2 cache, that do not, or all.
struct SetupSum {
  std::string type;
  const char *group; // "L2", "memory" or "all"
  std::string state;
  Side from;
  int matrices = 0;      // for which our product is right
  WorstOf products = {}; // the set-up in products of the chosen kernel; a geometric mean
  WorstOf ms = {};       // the set-up; a geometric mean
  // These count only matrices where our product is at least kClearRatio times as fast as
  // cuSPARSE's: the number of products after which the set-up has paid for itself, and the number
  // from which on our total is below those of all of cuSPARSE's contenders with their own set-ups.
  // The means are medians.
  WorstOf paysAfter = {};
  int paid = 0, neverPaid = 0; // with and without a break-even
  WorstOf breakEven = {};
  int compared = 0; // number compared with cuSPARSE
  // For each of kProductCounts: on how many of these our total is below cuSPARSE's best.
  std::vector<int> below = {};
};
constexpr double kClearRatio = 1.3;

std::vector<SetupSum> setupSumsOf(const std::vector<BenchRecord> &records, int64_t l2Bytes);

llvm::json::Object jsonOf(const SetupSum &sum);
std::string textOf(const std::vector<SetupSum> &sums);

} // namespace specmv::cli
