// Measures one matrix in one type: every format of ours, every algorithm of cuSPARSE, the choice.
#pragma once

#include "runtime/specialize.h"
#include "runtime/yardstick.h"

#include <string>
#include <vector>

namespace specmv {

// A plan that was timed on the way to its format's fastest.
struct PlanTime {
  Plan plan;
  double predictedUs, us;
  bool verified;
};

// One format (ours or a wrapped one) on the matrix.
struct BenchLine {
  std::string format;
  Plan plan = {}; // without integers for cuSPARSE
  double us = 0, usCold = 0;
  int64_t storedBytes = 0;
  bool verified = false, deterministic = false;
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
  Yardstick cusparse;

  const BenchLine *chosen() const; // null where nothing applied
  const BenchLine *best() const;
};

// The choice is the prediction's. Rigor::estimate measures the best predicted plan of each format,
// any other rigor all plans of each and reports the fastest.
llvm::Expected<MatrixBench> benchMatrix(const CsrView &a, const Request &request, Machine &machine,
                                        double copyGBs);

} // namespace specmv
