// The arrays that cuSPARSE expects, packed on the host, and the checks of plans for them. All index
// arrays of a layout have the same width, as cuSPARSE requires.
#pragma once

#include "generator/fields.h"
#include "generator/format.h"

namespace specmv {

namespace key {
inline constexpr IntegerKey kSliceRows{"slice"}, kBsrSize{"bsr.size"};
} // namespace key

// Rows of a slice: one for each lane of a warp, so that a warp reads a column of the slice at once.
constexpr int64_t kCusparseSlice = 32;
// The sides of blocks that the profile counts.
constexpr int64_t kLeastBlock = 2, kMostBlock = 8;
// Sliced ELL and BSR are refused if they have more elements of padding than this for each entry.
// They would store over 21 times as many elements as CSR, and could not be the best of cuSPARSE's
// formats.
constexpr int64_t kCusparsePadding = 20;

// Says "cusparse-csr needs a matrix with entries; ..." if there are none; else "". Older versions
// of cuSPARSE refuse a matrix without entries.
std::string whyNoEntries(const std::string &format, int64_t rows, int64_t cols, int64_t nnz);
// Says "cusparse-sell would store 320 elements for 10 entries; ..." if this is above the limit;
// else "".
std::string whyPadded(const std::string &format, int64_t elements, int64_t nnz);

struct CusparseSize {
  int64_t rows, cols, nnz;
};

// The arrays and numbers of each layout; sliced ELL has `elements` elements, BSR `blocks` blocks.
Fields cusparseCsrFields(const Plan &plan, const Problem &problem, const CusparseSize &size);
Fields cusparseInPlaceFields(const MatrixSize &a, const Plan &plan, const Problem &problem);
Fields cusparseCooFields(const Plan &plan, const Problem &problem, const CusparseSize &size);
Fields cusparseSellFields(const Plan &plan, const Problem &problem, const CusparseSize &size,
                          int64_t elements);
Fields cusparseBsrFields(const Plan &plan, const Problem &problem, const CusparseSize &size,
                         int64_t blocks);

// The arrays rowPtr, col, val. The experimental products have the same layout.
llvm::Expected<Layout> cusparseCsrLayout(const CsrView &a, const Plan &plan,
                                         const Problem &problem);
// The arrays rowPtr, col and val, lent by the workspace.
llvm::Expected<Layout> cusparseCsrInPlace(Workspace &workspace, const Plan &plan,
                                          const Problem &problem);
// The arrays row, col, val.
llvm::Expected<Layout> cusparseCooLayout(const CsrView &a, const Plan &plan,
                                         const Problem &problem);
// Slice s, of plan.get(key::kSliceRows) rows, has the elements sliceOffsets[s] ..
// sliceOffsets[s+1]-1. It is as wide as its longest row and stored column by column: entry k of row
// r is at sliceOffsets[s] + k * slice + r. Padding has column -1 and value 0, also in rows of the
// last slice beyond the matrix.
llvm::Expected<Layout> cusparseSellLayout(const CsrView &a, const Plan &plan,
                                          const Problem &problem);
// rowPtr and col of blocks of plan.get(key::kBsrSize) rows and columns, ascending in each block
// row; val has the blocks row by row. Rows and columns must be whole blocks.
llvm::Expected<Layout> cusparseBsrLayout(const CsrView &a, const Plan &plan,
                                         const Problem &problem);

} // namespace specmv
