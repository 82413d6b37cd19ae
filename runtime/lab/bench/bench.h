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
  bool brief = false;    // as in PlanTime
  bool isTheirs = false; // cuSPARSE's SpMM, which is timed and not checked
  double maxErrorRatio = 0;
  SetupTimes setup = {};
  bool chosen = false;
  std::vector<PlanTime> plans = {}; // all plans that were measured
  std::string why = {};             // why there is no time; empty if there is one
};

struct MatrixBench {
  int64_t csrBytes = 0, indexFreeBytes = 0;
  double copyGBs = 0;
  std::vector<BenchLine> lines = {};
  int64_t vectors = 1; // of one product

  const BenchLine *chosen() const; // null where nothing applied
  const BenchLine *best() const;
  const BenchLine *find(const std::string &format) const; // null where it was not measured
  const BenchLine *cusparseBest() const;                  // the best of those that call cuSPARSE
};

// The order in which the offers are measured: by their best prediction, so that very slow plans
// come when a faster one is known and can be measured briefly.
std::vector<size_t> measuringOrder(const Ranked &ranked);

// Measures the requested formats and all that call cuSPARSE; of several vectors its SpMM. With
// Rigor::estimate or trial it measures the best predicted plan of each format, else all plans of
// each and reports the fastest. The line marked as chosen is the best prediction among the formats
// that may be chosen.
llvm::Expected<MatrixBench> benchMatrix(const CsrView &a, const Request &request, Machine &machine,
                                        double copyGBs);

} // namespace specmv
