// The CSR arrays as a layout, shared by the formats that use them unchanged.
#pragma once

#include "generator/fields.h"
#include "generator/index_types.h"
#include "models/csr.h"

namespace specmv {

// rowPtr, col and val of a matrix.
Fields csrFields(const Types &types, int64_t rows, int64_t nnz);

// Fills these arrays; their types must be wide enough.
void fillCsr(Layout &out, const CsrView &a);

} // namespace specmv
