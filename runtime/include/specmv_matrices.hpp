// Matrices for specmv.hpp, which says what all classes have in common.
#ifndef SPECMV_MATRICES_HPP
#define SPECMV_MATRICES_HPP

#include "specmv_results.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

namespace specmv {

// Refers to the caller's arrays, on the host or on a GPU.
template <Value T> class Matrix {
public:
  // From arrays on the host with indices from 0, or from `base`: std::vector, std::array, spans of
  // int32_t or int64_t; offsets and indices may have different types. Temporaries are refused,
  // because they would not exist when a plan is made. Without values only the structure is known:
  // call Plan::updateValues() first.
  template <detail::Indices RowPtr, detail::Indices Col>
  static Result<Matrix> csr(int64_t rows, int64_t cols, RowPtr &&rowPtr, Col &&col, int base = 0) {
    return compressed({SPECMV_FORMAT_CSR, rows, cols, base}, {rowPtr, "rowPtr"}, {col, "col"}, {});
  }
  template <detail::Indices RowPtr, detail::Indices Col, detail::ArrayOf<T> Val>
  static Result<Matrix> csr(int64_t rows, int64_t cols, RowPtr &&rowPtr, Col &&col, Val &&val,
                            int base = 0) {
    return compressed({SPECMV_FORMAT_CSR, rows, cols, base}, {rowPtr, "rowPtr"}, {col, "col"},
                      {val, "val"});
  }
  // From spans only, which braces can make if the type of indices is given: csr<int>(2, 3,
  // {rowPtr}, {col}, {val}). This does not refuse temporaries.
  template <Index I>
  static Result<Matrix> csr(int64_t rows, int64_t cols, std::span<const I> rowPtr,
                            std::span<const I> col, std::span<const T> val) {
    return compressed({SPECMV_FORMAT_CSR, rows, cols}, {rowPtr, "rowPtr"}, {col, "col"},
                      {val, "val"});
  }
  template <detail::Indices ColPtr, detail::Indices Row>
  static Result<Matrix> csc(int64_t rows, int64_t cols, ColPtr &&colPtr, Row &&row, int base = 0) {
    return compressed({SPECMV_FORMAT_CSC, rows, cols, base}, {colPtr, "colPtr"}, {row, "row"}, {});
  }
  template <detail::Indices ColPtr, detail::Indices Row, detail::ArrayOf<T> Val>
  static Result<Matrix> csc(int64_t rows, int64_t cols, ColPtr &&colPtr, Row &&row, Val &&val,
                            int base = 0) {
    return compressed({SPECMV_FORMAT_CSC, rows, cols, base}, {colPtr, "colPtr"}, {row, "row"},
                      {val, "val"});
  }
  // Row and column of each entry, in any order; both arrays have the same type.
  template <detail::Indices Row, detail::Indices Col>
  static Result<Matrix> coo(int64_t rows, int64_t cols, Row &&row, Col &&col, int base = 0) {
    return triplets({SPECMV_FORMAT_COO, rows, cols, base}, {row, "row"}, {col, "col"}, {});
  }
  template <detail::Indices Row, detail::Indices Col, detail::ArrayOf<T> Val>
  static Result<Matrix> coo(int64_t rows, int64_t cols, Row &&row, Col &&col, Val &&val,
                            int base = 0) {
    return triplets({SPECMV_FORMAT_COO, rows, cols, base}, {row, "row"}, {col, "col"},
                    {val, "val"});
  }
  // Blocks of blockRows x blockCols values, row by row or, with byColumn, column by column. rows
  // and cols are those of the matrix; rowPtr and col refer to blocks.
  struct Blocks {
    int rows, cols;
    bool byColumn = false;
  };
  template <detail::Indices RowPtr, detail::Indices Col>
  static Result<Matrix> bsr(int64_t rows, int64_t cols, Blocks blocks, RowPtr &&rowPtr, Col &&col,
                            int base = 0) {
    return compressed({SPECMV_FORMAT_BSR, rows, cols, base, blocks}, {rowPtr, "rowPtr"},
                      {col, "col"}, {});
  }
  template <detail::Indices RowPtr, detail::Indices Col, detail::ArrayOf<T> Val>
  static Result<Matrix> bsr(int64_t rows, int64_t cols, Blocks blocks, RowPtr &&rowPtr, Col &&col,
                            Val &&val, int base = 0) {
    return compressed({SPECMV_FORMAT_BSR, rows, cols, base, blocks}, {rowPtr, "rowPtr"},
                      {col, "col"}, {val, "val"});
  }
  // These explain wrong arguments in a sentence.
  template <class... Arrays>
  requires(detail::Misfit<Arrays, T> || ...) static Result<Matrix> csr(int64_t, int64_t,
                                                                       Arrays &&...) {
    return detail::explainMisfit<T, Arrays...>();
  }
  template <class... Arrays>
  requires(detail::Misfit<Arrays, T> || ...) static Result<Matrix> csc(int64_t, int64_t,
                                                                       Arrays &&...) {
    return detail::explainMisfit<T, Arrays...>();
  }
  template <class... Arrays>
  requires(detail::Misfit<Arrays, T> || ...) static Result<Matrix> coo(int64_t, int64_t,
                                                                       Arrays &&...) {
    return detail::explainMisfit<T, Arrays...>();
  }
  template <class... Arrays>
  requires(detail::Misfit<Arrays, T> || ...) static Result<Matrix> bsr(int64_t, int64_t, Blocks,
                                                                       Arrays &&...) {
    return detail::explainMisfit<T, Arrays...>();
  }
  // CSR on the host or on a GPU.
  template <Index I>
  static Result<Matrix> csr(int64_t rows, int64_t cols, int64_t nnz, const I *rowPtr, const I *col,
                            const T *val) {
    specmvMatrix_t made = nullptr;
    if (const specmvStatus_t status = specmvCreateCsr(&made, rows, cols, nnz, rowPtr, col, val,
                                                      detail::kIndexType<I>, detail::kDataType<T>))
      return detail::lastError(status);
    return Matrix(made, rows, cols, nnz);
  }
  // From any layout. dataType is set to that of T.
  static Result<Matrix> create(specmvMatrixDescription_t description) {
    description.dataType = detail::kDataType<T>;
    specmvMatrix_t made = nullptr;
    if (const specmvStatus_t status = specmvCreateMatrix(&made, &description))
      return detail::lastError(status);
    return Matrix(made, description.rows, description.cols, description.nnz);
  }

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  int64_t nnz() const { return nnz_; }
  specmvMatrix_t get() const { return handle_.get(); }

private:
  // The properties of a layout besides its arrays.
  struct Form {
    specmvFormat_t format;
    int64_t rows, cols;
    int base = 0;
    Blocks blocks = {1, 1};

    specmvMatrixDescription_t description() const {
      specmvMatrixDescription_t out = SPECMV_MATRIX_DESCRIPTION_INIT;
      out.format = format, out.rows = rows, out.cols = cols, out.indexBase = base;
      if (format == SPECMV_FORMAT_BSR)
        out.blockRows = blocks.rows, out.blockCols = blocks.cols,
        out.blocksByColumn = blocks.byColumn;
      return out;
    }
    // False: specmvCreateMatrix() refuses it, and says why, before it reads an array.
    bool isSound() const {
      return rows >= 0 && cols >= 0 && valuesOfIndex() > 0 && rows % blocks.rows == 0 &&
             cols % blocks.cols == 0;
    }
    // The number of values for each index; 0 if that is impossible.
    uint64_t valuesOfIndex() const {
      return blocks.rows > 0 && blocks.cols > 0
                 ? static_cast<uint64_t>(blocks.rows) * static_cast<uint64_t>(blocks.cols)
                 : 0;
    }
  };
  static Result<Matrix> withValues(specmvMatrixDescription_t description, const Form &form,
                                   detail::Part index, detail::Part val) {
    const uint64_t of = form.valuesOfIndex(), needed = index.size * of;
    if (val.name && form.isSound() && val.size != needed)
      return detail::uneven(index, val, of);
    description.nnz = static_cast<int64_t>(needed);
    description.values = val.data;
    return create(description);
  }
  static Result<Matrix> compressed(const Form &form, detail::Part offsets, detail::Part index,
                                   detail::Part val) {
    const bool isCsc = form.format == SPECMV_FORMAT_CSC;
    if (form.isSound()) {
      const int64_t lines = isCsc ? form.cols : form.rows / form.blocks.rows;
      if (offsets.size != static_cast<uint64_t>(lines) + 1)
        return detail::unfit(offsets, isCsc ? form.cols : form.rows, isCsc ? "columns" : "rows",
                             form.format == SPECMV_FORMAT_BSR ? form.blocks.rows : 0);
    }
    specmvMatrixDescription_t description = form.description();
    description.offsetType = offsets.type, description.indexType = index.type;
    description.offsets = offsets.data;
    (isCsc ? description.rowIndices : description.colIndices) = index.data;
    return withValues(description, form, index, val);
  }
  static Result<Matrix> triplets(const Form &form, detail::Part row, detail::Part col,
                                 detail::Part val) {
    if (row.size != col.size)
      return detail::uneven(row, col, 1);
    if (row.type != col.type)
      return detail::invalid("row and col have indices of 4 and of 8 bytes; both need one size");
    specmvMatrixDescription_t description = form.description();
    description.indexType = row.type;
    description.rowIndices = row.data, description.colIndices = col.data;
    return withValues(description, form, col, val);
  }

  Matrix(specmvMatrix_t made, int64_t rows, int64_t cols, int64_t nnz)
      : handle_(made), rows_(rows), cols_(cols), nnz_(nnz) {}
  std::unique_ptr<std::remove_pointer_t<specmvMatrix_t>, detail::Destroy<specmvDestroyMatrix>>
      handle_;
  int64_t rows_, cols_, nnz_;
};

} // namespace specmv

#endif
