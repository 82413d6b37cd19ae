// Runs a test over all plans that are offered for some matrices, in both types.
#pragma once

#include "tests/generator/edge_matrices.h"

#include <doctest/doctest.h>

namespace specmv::testing {

// Calls test(format, plan, matrix, problem) for all of them.
template <class Test> void forAllPlans(const std::vector<CsrMatrix> &matrices, Test &&test) {
  for (const CsrMatrix &a : matrices)
    for (ValueType type : kTypes) {
      const Problem problem{type};
      for (const auto &[format, plan] : plansOf(a.view(), problem)) {
        CAPTURE(a.name);
        CAPTURE(std::string(nameOf(type)));
        const std::string planText = plan.text();
        CAPTURE(planText);
        test(*format, plan, a, problem);
      }
    }
}

} // namespace specmv::testing
