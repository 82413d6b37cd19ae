// Checks that the arrays of a CsrView form a matrix, before other code relies on it.
#pragma once

#include "models/csr.h"
#include "llvm/Support/Error.h"

namespace specmv {

// Fails with Status::badInput and the offending number if a dimension is negative, if rowPtr does
// not start at 0, decreases or does not end at nnz, or if a column is not in 0 .. cols - 1.
llvm::Error checkCsr(const CsrView &a);

// Checks only the first and the last element of rowPtr. Must pass before col and val are read,
// because it confirms nnz, which gives their sizes.
llvm::Error checkEnds(const CsrView &a);

} // namespace specmv
