// Measures one matrix in one type: every format, ours and those that call cuSPARSE, and checks
// products.
#pragma once

#include "runtime/build.h"
#include "runtime/lab/yardstick/contender.h"
#include "runtime/measure/verify.h"
#include "runtime/plan/request.h"
#include "runtime/plan/specialize.h"

#include <optional>
#include <string>
#include <vector>

namespace specmv {

// --- Checked product -----------------------------------------------------------------------------

// Wraps a built plan as a product under test: values, x and y go to the device and y comes back.

// Runs on the machine's GPU, or as plain CSR on the host if there is no GPU; with one vector or, if
// the plan has kernels for several, with that many. Refers to all arguments.
ProductUnderTest checkedProduct(const CsrView &a, Machine &machine, Built &built,
                                int64_t vectors = 1);

// Other values would not fit a plan with a coding.
inline CheckedValues valuesToCheck(const Request &request) {
  return request.mayCode || !request.values.empty() ||
                 (request.plan && !request.plan->values.empty())
             ? CheckedValues::own
             : CheckedValues::drawn;
}

// --- Bench ---------------------------------------------------------------------------------------

// Measures one matrix in one type: every format, ours and those that call cuSPARSE, the choice, and
// the plan that a program begins with.

// A plan that was timed while searching its format's fastest.
struct PlanTime {
  Plan plan;
  double predictedUs, us;
  bool verified;
  bool brief; // so slow that it was timed with a few products only (Effort)
};

// The result of one format on the matrix.
struct BenchLine {
  std::string format;
  Plan plan = {};
  double us = 0, usCold = 0;
  ReplayTime replay = {};
  double prepareUs = 0; // cuSPARSE's own part of the set-up; 0: not one of its formats
  int64_t storedBytes = 0;
  bool verified = false, deterministic = false;
  bool brief = false;     // see PlanTime
  bool isTheirs = false;  // cuSPARSE's SpMM, which is timed and not checked
  bool isGeneral = false; // by the plan's general kernels
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
  int64_t vectors = 1; // per product
  // The first plan of a program that finds kernels in installed packs only: the choice, or a plan
  // whose kernels are at hand. Not set for a rigor that waits for its kernels.
  std::optional<BenchLine> first = {};

  const BenchLine *chosen() const; // null if no format applied
  const BenchLine *best() const;
  const BenchLine *find(const std::string &format) const; // null if it was not measured
  const BenchLine *cusparseBest() const;                  // the best that calls cuSPARSE
  const BenchLine *cusparseBestReplay() const;            // the best of these as a graph
};

// Returns the order in which to measure the offers: by their best prediction, so that very slow
// plans come after a faster one and can be measured briefly.
std::vector<size_t> measuringOrder(const Ranked &ranked);

// Measures the requested formats and all that call cuSPARSE; for several vectors, its SpMM. With
// Rigor::estimate or trial it measures the best predicted plan of each format, otherwise all plans
// of each, and reports the fastest. The line marked as chosen is the best prediction among the
// formats that may be chosen.
llvm::Expected<MatrixBench> benchMatrix(const CsrView &a, const Request &request, Machine &machine,
                                        double copyGBs);

} // namespace specmv
