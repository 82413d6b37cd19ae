// Checks that a CsrView is a matrix before anything relies on it.
#pragma once

#include "models/csr.h"
#include "llvm/Support/Error.h"

namespace specmv {

// Fails with Status::badInput and the number at fault where dimensions are negative, rowPtr does
// not start at 0, descends or does not end at nnz, or a column lies outside 0 .. cols - 1.
llvm::Error checkCsr(const CsrView &a);

// The part of it that reads the first and the last element of rowPtr only: what it tells must be so
// before col and val are touched.
llvm::Error checkEnds(const CsrView &a);

} // namespace specmv
