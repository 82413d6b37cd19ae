// Rows that several blocks of a kernel share, on the host: the arrays of
// templates/shared/open_rows.cuh.
#pragma once

#include "generator/format.h"

namespace specmv {

constexpr int64_t kNoRow = -1;

// Adds the arrays and the scratch for a launch whose boundaries between blocks have these rows
// open: of each boundary, the one before the first block and the one after the last included, the
// row that has entries on both sides, or an end without entries behind it; kNoRow where there is
// none.
void addOpenRows(Layout &out, const Problem &problem, const std::vector<int64_t> &openRow);

// Adds the parameters of a kernel that has such rows.
void addOpenRowArguments(std::vector<Argument> &out, const Problem &problem);

// Bytes of the arrays.
constexpr int64_t openRowBytes(int64_t blocks) { return 8 * (blocks + 1); }

// What bringing the shares of a row of `length` entries together adds to the longest chain, in
// passes of CSR-vector's loop, where blocks take `share` entries each.
int64_t openRowChain(int64_t length, int64_t share);

} // namespace specmv
