// Makes the twins that no family makes, in two ways: row by row, or below the diagonal and
// mirrored.
#pragma once

#include "models/lab/families/build.h"
#include "models/lab/families/twins.h"

namespace specmv {

// A matrix like the twin with exactly nnz entries. Row lengths follow the law of the twin; columns
// are blocks near the diagonal and some anywhere. The rows of a node have the same columns.
llvm::Expected<CsrMatrix> buildTwinByRows(const Twin &twin, int64_t nnz, uint64_t seed);

// The same, made from entries below the diagonal, each with its mirror image if `mirrored`. The
// diagonal has as many entries as the twin says, or one less if the rest would be odd.
llvm::Expected<CsrMatrix> buildTwinByPairs(const Twin &twin, int64_t nnz, bool mirrored,
                                           uint64_t seed);

} // namespace specmv
