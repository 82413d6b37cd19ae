// Utilities for the tests of specmv.hpp: a small matrix, and options of plans on the host.
#pragma once

#include "specmv.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace cpptest {

struct Small {
  // 4 1 0
  // 0 3 0
  // 2 0 5
  std::vector<int> rowPtr{0, 2, 3, 5}, col{0, 1, 1, 0, 2};
  std::vector<double> val{4, 1, 3, 2, 5};
  specmv::Result<specmv::Matrix<double>> matrix() const {
    return specmv::Matrix<double>::csr(3, 3, rowPtr, col, val);
  }
};

inline specmv::PlanOptions onHost() {
  specmv::PlanOptions options;
  options.target = SPECMV_TARGET_HOST;
  return options;
}

} // namespace cpptest
