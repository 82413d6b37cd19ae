// A matrix in CSR. CsrView, which every step reads, does not own the arrays. CsrMatrix owns them:
// files are read into it, and families generate it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

enum class ValueType : uint8_t { f32, f64 };
enum class IndexType : uint8_t { i32, i64 };

constexpr size_t sizeOf(ValueType type) { return type == ValueType::f32 ? 4 : 8; }
constexpr size_t sizeOf(IndexType type) { return type == IndexType::i32 ? 4 : 8; }
constexpr const char *nameOf(ValueType type) { return type == ValueType::f32 ? "f32" : "f64"; }

// rows x cols with nnz entries, counted from 0; row i has the entries rowPtr[i] .. rowPtr[i+1]-1.
// The columns of a row may have any order and may repeat; repeated entries add up. rowPtr has rows
// + 1 elements, col and val have nnz. rowPtr and col have the same index type.
struct CsrView {
  int64_t rows = 0, cols = 0, nnz = 0;
  IndexType indexType = IndexType::i32;
  ValueType valueType = ValueType::f64;
  const void *rowPtr = nullptr;
  const void *col = nullptr;
  const void *val = nullptr; // may be null if only the pattern is read
};

// The dimensions of a matrix, without its arrays.
struct MatrixSize {
  int64_t rows = 0, cols = 0, nnz = 0;
};
inline MatrixSize dimensionsOf(const CsrView &a) { return {a.rows, a.cols, a.nnz}; }

// The pattern of a CsrView with its index type as a C++ type.
template <class I> struct CsrPattern {
  using Index = I;
  int64_t rows, cols, nnz;
  const I *rowPtr;
  const I *col;
};

// Calls f with the view's pattern as CsrPattern<int32_t> or CsrPattern<int64_t>.
template <class F> auto visitPattern(const CsrView &a, F &&f) {
  if (a.indexType == IndexType::i32)
    return f(CsrPattern<int32_t>{a.rows, a.cols, a.nnz, static_cast<const int32_t *>(a.rowPtr),
                                 static_cast<const int32_t *>(a.col)});
  return f(CsrPattern<int64_t>{a.rows, a.cols, a.nnz, static_cast<const int64_t *>(a.rowPtr),
                               static_cast<const int64_t *>(a.col)});
}

// The number of entries of the longest row.
inline int64_t longestRow(const CsrView &a) {
  return visitPattern(a, [](auto p) {
    int64_t longest = 0;
    for (int64_t row = 0; row < p.rows; ++row)
      longest = std::max<int64_t>(longest, p.rowPtr[row + 1] - p.rowPtr[row]);
    return longest;
  });
}

// Calls f with the view's values as const float * or const double *.
template <class F> auto visitValues(const CsrView &a, F &&f) {
  if (a.valueType == ValueType::f32)
    return f(static_cast<const float *>(a.val));
  return f(static_cast<const double *>(a.val));
}

// A matrix that owns its arrays, with 32-bit indices and double values. The columns of a row ascend
// and do not repeat. A matrix with more than 2^31-1 entries needs a CsrView of 64-bit arrays.
struct CsrMatrix {
  std::string name;
  int64_t rows = 0, cols = 0;
  std::vector<int32_t> rowPtr{0};
  std::vector<int32_t> col;
  std::vector<double> val;

  int64_t nnz() const { return static_cast<int64_t>(col.size()); }
  CsrView view() const {
    return {rows,           cols,          nnz(),      IndexType::i32,
            ValueType::f64, rowPtr.data(), col.data(), val.data()};
  }
};

} // namespace specmv
