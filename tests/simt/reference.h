// y = alpha A x + beta y in long double from the CSR arrays, and how far a kernel may be from it.
#pragma once

#include "tests/simt/matrices.h"

#include <vector>

namespace specmv::simt {

struct Reference {
  std::vector<long double> y;
  std::vector<long double> bound; // of |computed - y|
};

// The values are those of the entries; beta = 0 does not read y.
Reference reference(const TestMatrix &a, const std::vector<double> &values, double alpha,
                    const std::vector<double> &x, double beta, const std::vector<double> &y,
                    ValueType type);

// Rows with an entry in a column that `marked` names.
std::vector<bool> rowsReached(const TestMatrix &a, const std::vector<bool> &marked);

} // namespace specmv::simt
