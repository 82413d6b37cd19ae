// Packing of DIA, and what its plans must know of it.
#pragma once

#include "generator/format.h"

namespace specmv {

// Diagonals that a kernel may have baked in: as many as a profile lists. Templates have their own.
constexpr int64_t kMaxDiaDiagonals = kMaxListedDiagonals;

// More slots for each entry than this and DIA is refused: its values alone are then as many bytes
// as CSR reads in float, and more in double.
constexpr int64_t kMaxDiaPadding = 2;

// The sentence that says why so many diagonals of a matrix are refused, or "".
std::string whyNotDia(int64_t diagonals, int64_t rows, int64_t nnz);

// Rows that have their holes in common: a bit each of a word.
constexpr int64_t kHoleRows = 32;

// Places of the diagonal inside the matrix.
int64_t placesOf(int64_t offset, int64_t rows, int64_t cols);

llvm::Expected<Layout> diaLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
