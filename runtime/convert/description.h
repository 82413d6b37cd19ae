// A matrix as an application stores it: CSR, CSC, COO or BSR, with its index types and base.
#pragma once

#include "models/csr.h"

namespace specmv {

enum class MatrixLayout : uint8_t { csr, csc, coo, bsr };

// Refers to arrays on the host or on a GPU. Arrays that a layout does not use are null:
//   csr  offsets (rows + 1), cols (nnz)
//   csc  offsets (cols + 1), rows (nnz)
//   coo  rows, cols (nnz each), in any order
//   bsr  offsets (block rows + 1), cols (of blocks)
// Repeated entries are added up. vals has nnz values, for BSR block by block.
struct MatrixDescription {
  MatrixLayout layout = MatrixLayout::csr;
  int64_t rows = 0, cols = 0, nnz = 0;
  IndexType offsetType = IndexType::i32, indexType = IndexType::i32;
  ValueType valueType = ValueType::f64;
  int64_t base = 0;                     // of offsets and indices: 0 or 1
  int64_t blockRows = 1, blockCols = 1; // for BSR; rows and cols are multiples of them
  bool blocksByColumn = false;          // a block's values are stored by columns
  const void *offsets = nullptr, *rowIndices = nullptr, *colIndices = nullptr;
  const void *values = nullptr; // null: the values come later

  // Returns true if view() describes the same arrays.
  bool isPlainCsr() const {
    return layout == MatrixLayout::csr && offsetType == indexType && base == 0 &&
           (values || nnz == 0);
  }
  CsrView view() const {
    return {rows, cols, nnz, indexType, valueType, offsets, colIndices, values};
  }
};

// The number of elements of each array of indices; 0 if the layout has none.
struct DescriptionSizes {
  int64_t offsets = 0, rowIndices = 0, colIndices = 0;
};
inline DescriptionSizes sizesOf(const MatrixDescription &a) {
  switch (a.layout) {
  case MatrixLayout::csr:
    return {.offsets = a.rows + 1, .colIndices = a.nnz};
  case MatrixLayout::csc:
    return {.offsets = a.cols + 1, .rowIndices = a.nnz};
  case MatrixLayout::coo:
    return {.rowIndices = a.nnz, .colIndices = a.nnz};
  case MatrixLayout::bsr:
    break;
  }
  return {.offsets = a.rows / a.blockRows + 1, .colIndices = a.nnz / (a.blockRows * a.blockCols)};
}

} // namespace specmv
