// y = alpha A x + beta y in long double from the CSR arrays, and the allowed difference of a kernel
// from it.
#pragma once

#include "tests/simt/matrices.h"

#include <vector>

namespace specmv::simt {

struct Reference {
  std::vector<long double> y;
  std::vector<long double> bound; // of |computed - y|
};

// `values` are those of the entries; if beta is 0, y is not read.
Reference reference(const TestMatrix &a, const std::vector<double> &values, double alpha,
                    const std::vector<double> &x, double beta, const std::vector<double> &y,
                    ValueType type);

// Returns the rows with an entry in a marked column.
std::vector<bool> rowsReached(const TestMatrix &a, const std::vector<bool> &marked);

} // namespace specmv::simt
