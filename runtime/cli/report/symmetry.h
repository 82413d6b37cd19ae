// Samples how symmetric a matrix is.
#pragma once

#include "models/csr.h"

namespace specmv::cli {

struct SymmetrySample {
  int64_t entries = 0;  // off the diagonal, that were looked at
  int64_t mirrored = 0; // with an entry in row j and column i
  int64_t equal = 0;    // with one of the same value
  bool isAll = false;   // these are all entries off the diagonal
};

// Looks at entries at equal distances, at most kMostMirrored. The matrix must be square, with
// values and ascending columns in each row, as CsrMatrix has them.
constexpr int64_t kMostMirrored = 20000;
SymmetrySample sampleSymmetry(const CsrView &view);

} // namespace specmv::cli
