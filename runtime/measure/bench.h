// Measures one matrix in one type: every format, ours and those that call cuSPARSE, and the choice.
#pragma once

#include "runtime/specialize.h"

#include <string>
#include <vector>

namespace specmv {

// A plan that was timed on the way to its format's fastest.
struct PlanTime {
  Plan plan;
  double predictedUs, us;
  bool verified;
  bool brief; // so slow that it was timed with a few products only (Effort)
};

// One format on the matrix.
struct BenchLine {
  std::string format;
  Plan plan = {};
  double us = 0, usCold = 0;
  int64_t storedBytes = 0;
  bool verified = false, deterministic = false;
  bool brief = false; // as in PlanTime
  double maxErrorRatio = 0;
  SetupTimes setup = {};
  bool chosen = false;
  std::vector<PlanTime> plans = {}; // all that were measured
  std::string why = {};             // why there is no figure
};

struct MatrixBench {
  int64_t csrBytes = 0, indexFreeBytes = 0;
  double copyGBs = 0;
  std::vector<BenchLine> lines;

  const BenchLine *chosen() const; // null where nothing applied
  const BenchLine *best() const;
  const BenchLine *find(const std::string &format) const; // null where it was not measured
  const BenchLine *cusparseBest() const;                  // the best of those that call cuSPARSE
};

// The offers in the order in which they are measured, by their best prediction: what is hopeless
// comes when something faster is known.
std::vector<size_t> measuringOrder(const Ranked &ranked);

// The choice is the prediction's, among the formats that may be chosen. Measured are the formats
// asked for and all that call cuSPARSE: with Rigor::estimate the best predicted plan of each, with
// any other rigor all plans of each, of which the fastest is reported.
llvm::Expected<MatrixBench> benchMatrix(const CsrView &a, const Request &request, Machine &machine,
                                        double copyGBs);

} // namespace specmv
