// A band whose values are those of its diagonals.
#pragma once

#include "models/csr.h"

namespace specmv {

// Each row has the diagonals 0 .. diagonals - 1, with the values valueOf(diagonal).
template <class F> CsrMatrix bandMatrix(int rows, int diagonals, F &&valueOf) {
  CsrMatrix a;
  a.rows = rows;
  a.cols = rows + diagonals;
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < diagonals; ++k) {
      a.col.push_back(row + k);
      a.val.push_back(valueOf(k));
    }
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  return a;
}

} // namespace specmv
