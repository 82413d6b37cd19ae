// Tables that kernels read beside the matrix: rows that several blocks share, and the hottest
// columns.
#pragma once

#include "generator/fields.h"
#include "generator/shared/walk.h"
#include "models/csr.h"
#include "models/gpu.h"
#include "models/problem.h"
#include "templates/shared/constants.cuh"

#include <vector>

namespace specmv {

// --- Open rows -----------------------------------------------------------------------------------

// Rows that several blocks of a kernel share, on the host: the arrays of
// templates/shared/open_rows.cuh.

// The arrays and working memory that a kernel with `blocks` blocks needs for its open rows.
Fields openRowFields(const Problem &problem, int64_t blocks);

// Fills the arrays of openRowFields(). openRow[b] is the row that is open at the boundary before
// block b: it has entries before the boundary and ends after it. It is kNoRow if no row is open.
// The list includes the boundaries before the first block and after the last one.
void fillOpenRows(Layout &out, const std::vector<int64_t> &openRow);

// Fills the arrays of openRowFields() from sharedAt(b), which returns the first and the last block
// of the row that is open at boundary b.
template <class SharedAt> void fillSharedRows(Layout &out, const SharedAt &sharedAt) {
  LayoutArray &first = *out.find("openFirst"), &last = *out.find("openLast");
  for (int64_t boundary = 0; boundary < first.count(); ++boundary) {
    const auto blocks = sharedAt(boundary);
    first.as<uint32_t>()[boundary] = static_cast<uint32_t>(blocks.first);
    last.as<uint32_t>()[boundary] = static_cast<uint32_t>(blocks.last);
  }
}

// Passes of CSR-vector's loop that adding up the partial sums of a row of `length` entries adds to
// the longest chain. Each block has `share` entries.
int64_t openRowChain(int64_t length, int64_t share, const GpuModel &gpu);

// --- Hot columns ---------------------------------------------------------------------------------

// Lists the hottest columns of a matrix: those with the most entries, whose x is read most often.

// Returns the columns that hottestOf() (models/profile/column_degrees.h) describes, in ascending
// order. If only some columns with the most counted entries are hot, these are the first ones.
std::vector<int64_t> hottestColumns(const CsrView &a, int64_t most);

} // namespace specmv
