// Makes the twins that no family generates, in two ways: row by row, or below the diagonal and then
// mirrored.
#pragma once

#include "models/lab/families/build.h"
#include "models/lab/families/twins.h"

namespace specmv {

// Builds a matrix like the twin with exactly nnz entries. Row lengths follow the law of the twin;
// columns are blocks, most of them near the diagonal. The rows of a node have the same columns.
llvm::Expected<CsrMatrix> buildTwinByRows(const Twin &twin, int64_t nnz, uint64_t seed);

// Builds such a matrix from entries below the diagonal, each with its mirror image if `mirrored`.
// The diagonal has as many entries as the twin specifies, or one less if the rest would be odd.
llvm::Expected<CsrMatrix> buildTwinByPairs(const Twin &twin, int64_t nnz, bool mirrored,
                                           uint64_t seed);

} // namespace specmv
