// Matrices and vectors of small integers, whose products are exact in any order, and their products
// on the host.
#pragma once

#include "models/lab/families/families.h"

#include <vector>

namespace specmv {

inline std::vector<double> wholes(int64_t count, int64_t seed) {
  std::vector<double> out;
  for (int64_t i = 0; i < count; ++i)
    out.push_back(static_cast<double>((i * 7 + i / 11 * seed + seed) % 13 - 6));
  return out;
}

// Returns a generated matrix with such values.
inline CsrMatrix wholeMatrix(const char *spec) {
  CsrMatrix a = llvm::cantFail(generateFamily(spec));
  a.val = wholes(a.nnz(), 1);
  return a;
}

// Multiplies with these values instead of the matrix's own.
inline std::vector<double> hostProduct(const CsrMatrix &a, const std::vector<double> &val,
                                       const std::vector<double> &x) {
  std::vector<double> y(static_cast<size_t>(a.rows));
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
      y[i] += val[e] * x[a.col[e]];
  return y;
}

} // namespace specmv
