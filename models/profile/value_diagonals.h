// Compares the values along the diagonals of a matrix.
#pragma once

#include "models/csr.h"

namespace specmv {

// Returns ValueFacts::constantAlongDiagonals. Reads rowPtr, col and val until the answer is known.
bool compareDiagonals(const CsrView &a);

} // namespace specmv
