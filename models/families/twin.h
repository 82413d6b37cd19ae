// The two ways to make a twin that no family makes: row by row, or below the diagonal and mirrored.
#pragma once

#include "models/families/build.h"
#include "models/families/twins.h"

namespace specmv {

// A matrix like the twin's with exactly nnz entries. Rows are as long as the twin's law says; their
// columns are blocks near the diagonal and some anywhere. The rows of a node share their columns.
llvm::Expected<CsrMatrix> buildTwinByRows(const Twin &twin, int64_t nnz, uint64_t seed);

// The same from entries below the diagonal, each with its mirror image if `mirrored`. Of the
// diagonal there is what the twin says, one entry less where an odd number is left over.
llvm::Expected<CsrMatrix> buildTwinByPairs(const Twin &twin, int64_t nnz, bool mirrored,
                                           uint64_t seed);

} // namespace specmv
