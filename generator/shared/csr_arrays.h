// The CSR arrays as a layout, shared by the formats that use them unchanged.
#pragma once

#include "generator/coding/coding.h"
#include "generator/index_types.h"
#include "models/csr.h"

namespace specmv {

// The fields rowPtr, col and val of a matrix.
Fields csrFields(const Plan &plan, const Problem &problem, int64_t rows, int64_t nnz);

// Fills these arrays; their types must be wide enough.
void fillCsr(Layout &out, const CsrView &a);

} // namespace specmv
