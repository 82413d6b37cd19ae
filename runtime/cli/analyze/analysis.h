// Defines the results of the verb analyze for one matrix and type, and writes them as JSON.
#pragma once

#include "models/lab/matrix_market/matrix_market.h"
#include "models/predict/pmf/pmf.h"
#include "models/predict/strips/strips.h"
#include "models/profile/value_facts.h"
#include "runtime/choose/choose.h"
#include "runtime/plan/specialize.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

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
};

// Returns the document of analyze (JSON.md).
llvm::json::Object analysisJson(const Analysis &a);

} // namespace specmv::cli
