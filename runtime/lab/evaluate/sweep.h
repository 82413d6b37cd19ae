// Times the plans of a matrix on the GPU, as many of each format as requested.
#pragma once

#include "runtime/lab/evaluate/measured.h"
#include "runtime/plan/candidates.h"

namespace specmv {

struct SweepOptions {
  size_t mostOfAFormat = 3; // the best predicted ones; 0: all
  bool timesMean = false;   // also as the strips and statistics papers time
};

struct Sweep {
  Measured measured;
  Ranked ranked;                      // the plans, and why a format has none
  std::vector<std::string> left = {}; // plans that could not be built or gave a wrong product
  bool isWrong = false;               // a product was wrong
};

// Checks each product. The matrix is uploaded and profiled once. The request's formats are those to
// measure; none means all that may be chosen.
llvm::Expected<Sweep> sweep(const CsrView &a, const Request &request, Machine &machine,
                            const SweepOptions &options);

} // namespace specmv
