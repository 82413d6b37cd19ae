// Checks that a CsrView is a matrix before anything relies on it.
#pragma once

#include "models/csr.h"
#include "llvm/Support/Error.h"

namespace specmv {

// Fails with Status::badInput and the number at fault where dimensions are negative, rowPtr does
// not start at 0, descends or does not end at nnz, or a column lies outside 0 .. cols - 1.
llvm::Error checkCsr(const CsrView &a);

} // namespace specmv
