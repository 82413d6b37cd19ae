// Utilities for the tests of explanations: generated matrices with all of their plans ranked, and
// the explanation of any plan.
#pragma once

#include "models/lab/families/families.h"
#include "runtime/explain/explain.h"
#include "runtime/explain/sentence.h"
#include "runtime/plan/specialize.h"
#include "tests/runtime/host_machine.h"

#include <string>
#include <vector>

namespace specmv::testing {

struct RankedMatrix {
  Machine machine = hostMachine("");
  Request request;
  Analyzed seen;

  explicit RankedMatrix(const std::string &spec, ValueType type = ValueType::f64,
                        int64_t products = 0) {
    request.problem.type = type;
    request.expectedProducts = products;
    const CsrMatrix matrix = llvm::cantFail(generateFamily(spec));
    seen = llvm::cantFail(analyze(matrix.view(), request, machine));
  }
  ChoiceMade made(const Choice &choice = {}) const {
    return {.candidates = seen.ranked.candidates,
            .choice = choice,
            .products = request.expectedProducts,
            .size = sizeOf(seen.profiled.profile, request.problem.type),
            .problem = request.problem,
            .gpu = machine.model,
            .profile = &seen.profiled.profile};
  }
};

// One small matrix of each kind in the bench.
inline const std::vector<std::string> &explainedSpecs() {
  static const std::vector<std::string> specs = {"stencil5:n=90",
                                                 "stencil27:n=20",
                                                 "band:k=17,half=900,rows=30000",
                                                 "random:n=3000,k=9,spread=1",
                                                 "blocks:n=9000,b=3",
                                                 "powerlaw:rows=20000,avg=8",
                                                 "rmat:scale=12",
                                                 "spike:n=2000,spikes=1",
                                                 "circuit:rows=20000",
                                                 "epidemic:n=100",
                                                 "lp:rows=500",
                                                 "dense:n=120",
                                                 "diagonal:n=600",
                                                 "twin:bcsstk04",
                                                 "empty:n=5"};
  return specs;
}

} // namespace specmv::testing
