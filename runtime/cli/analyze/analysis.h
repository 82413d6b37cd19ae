// Defines and finds the results of the verb analyze for one matrix and type, and writes them as
// JSON. The verb report draws the same results.
#pragma once

#include "generator/formats/qcsr/tree.h"
#include "models/lab/matrix_market/matrix_market.h"
#include "models/predict/pmf/pmf.h"
#include "models/predict/strips/strips.h"
#include "models/profile/value_facts.h"
#include "runtime/choose/choose.h"
#include "runtime/plan/specialize.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// The plans for a matrix, and the first that fits it; with onlyPacks, the first whose kernel is in
// a pack.
struct PlansFound {
  Analyzed seen;
  Fit fit; // the default if there is no candidate
};
// `packed` receives the arrays of the plan that fits, unless it is null.
llvm::Expected<PlansFound> findPlans(const CsrView &a, const Request &request,
                                     const Machine &machine, Layout *packed = nullptr);

// QCSR's quadtree as printed, with tiles of d rows and columns, and how long the host built it.
struct Quadtree {
  int64_t d = 0;
  QcsrTree tree = {};
  double buildMs = 0;
};

// The verb's results for one matrix and type.
struct Analysis {
  const CsrMatrix &matrix;
  const Request &request;
  const Machine &machine;
  const Analyzed &seen;
  const Fit &fit; // its index is the choice among the candidates
  RowStatistics rows;
  ValueFacts values;
  Count diagonals; // number of occupied ones
  PmfEstimate asPrinted, corrected;
  StripsTarget strips;
  int64_t pmfK; // a threshold of HYB
  std::optional<Quadtree> quadtree = {};
};

// Adds the facts and the papers' predictions. `a` is the matrix with the values of the request's
// type. The result refers to all arguments.
Analysis analysisOf(const CsrMatrix &matrix, const CsrView &a, const Request &request,
                    const Machine &machine, const PlansFound &found);

// Returns the bytes that a product moves: streamed, gathered and staged.
int64_t movedBytes(const Traffic &traffic);

// Returns the document of analyze (JSON.md).
llvm::json::Object analysisJson(const Analysis &a);

} // namespace specmv::cli
