// The CSR arrays as a layout, shared by the formats that take them as they are.
#pragma once

#include "generator/emit.h"
#include "generator/layout.h"

namespace specmv {

// rowPtr, col and val of the matrix in these index types, which must be wide enough, and its rows.
Layout csrLayout(const CsrView &a, const IndexTypes &index, const Problem &problem);

// Bytes of these arrays.
int64_t csrStoredBytes(const SparsityProfile &p, ValueType type, const IndexTypes &index);

} // namespace specmv
