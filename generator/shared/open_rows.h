// Rows that several blocks of a kernel share, on the host: the arrays of
// templates/shared/open_rows.cuh.
#pragma once

#include "generator/fields.h"
#include "generator/shared/rates.h"
#include "models/gpu.h"
#include "models/problem.h"

namespace specmv {

constexpr int64_t kNoRow = -1;

// What a kernel of so many blocks takes for them.
Fields openRowFields(const Problem &problem, int64_t blocks);

// Fills the arrays of a launch whose boundaries between blocks have these rows open: of each
// boundary, the one before the first block and the one after the last included, the row that has
// entries on both sides, or an end without entries behind it; kNoRow where there is none.
void fillOpenRows(Layout &out, const std::vector<int64_t> &openRow);

// What bringing the shares of a row of `length` entries together adds to the longest chain, in
// passes of CSR-vector's loop, where blocks take `share` entries each.
int64_t openRowChain(int64_t length, int64_t share, const GpuModel &gpu);

} // namespace specmv
