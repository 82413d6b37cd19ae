// Checks in parallel that CSR arrays form a matrix. If several rows have faults, reports the first.
#include "models/csr_check.h"

#include "models/base/error.h"
#include "models/base/parallel.h"

#include <atomic>

namespace specmv {

// The number of rows that a thread checks at a time.
constexpr int64_t kCheckRows = 1 << 14;

template <class I> static llvm::Error checkRow(const CsrPattern<I> &a, int64_t row) {
  const int64_t begin = a.rowPtr[row], end = a.rowPtr[row + 1];
  if (end < begin)
    return fail(Status::badInput, "row {0}: rowPtr decreases from {1} to {2}", row, begin, end);
  if (begin < 0 || end > a.nnz)
    return fail(Status::badInput,
                "row {0}: rowPtr gives entries {1} to {2}, but the matrix has only {3}", row, begin,
                end, a.nnz);
  for (int64_t e = begin; e < end; ++e) {
    const int64_t col = a.col[e];
    if (col < 0)
      return fail(Status::badInput, "row {0}: column {1} is negative; columns are counted from 0",
                  row, col);
    if (col >= a.cols)
      return fail(Status::badInput,
                  "row {0}: column {1} is out of range, the matrix has {2} columns, counted from 0",
                  row, col, a.cols);
  }
  return llvm::Error::success();
}

// Returns true if a row has no fault. Makes no error object, which would cost time in every row.
template <class I> static bool isSound(const CsrPattern<I> &a, int64_t row) {
  const int64_t begin = a.rowPtr[row], end = a.rowPtr[row + 1];
  if (begin < 0 || end < begin || end > a.nnz)
    return false;
  bool sound = true;
  for (int64_t e = begin; e < end; ++e)
    sound &= a.col[e] >= 0 && a.col[e] < a.cols;
  return sound;
}

template <class I> static llvm::Error checkRows(const CsrPattern<I> &a) {
  std::atomic<int64_t> firstFault{a.rows};
  parallelFor(a.rows, kCheckRows, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      if (!isSound(a, row)) {
        int64_t known = firstFault;
        while (row < known && !firstFault.compare_exchange_weak(known, row)) {
        }
        return;
      }
  });
  return firstFault < a.rows ? checkRow(a, firstFault) : llvm::Error::success();
}

llvm::Error checkEnds(const CsrView &a) {
  return visitPattern(a, [](auto p) -> llvm::Error {
    if (p.rowPtr[0] == 1 && int64_t(p.rowPtr[p.rows]) - 1 == p.nnz)
      return fail(Status::badInput,
                  "rowPtr starts at 1 and ends at {0}, the number of entries + 1, so the matrix "
                  "counts from 1; describe it to specmvCreateMatrix() with indexBase = 1 (in "
                  "Python, index_base=1)",
                  int64_t(p.rowPtr[p.rows]));
    if (p.rowPtr[0] != 0)
      return fail(Status::badInput, "rowPtr starts at {0}, but must start at 0",
                  int64_t(p.rowPtr[0]));
    if (p.rowPtr[p.rows] != p.nnz)
      return fail(Status::badInput,
                  "rowPtr ends at {0}, but must end at the number of entries, {1}",
                  int64_t(p.rowPtr[p.rows]), p.nnz);
    return llvm::Error::success();
  });
}

llvm::Error checkCsr(const CsrView &a) {
  if (a.rows < 0 || a.cols < 0 || a.nnz < 0)
    return fail(Status::badInput,
                "{0} rows, {1} columns and {2} entries: none of these may be negative", a.rows,
                a.cols, a.nnz);
  if (!a.rowPtr || (a.nnz > 0 && !a.col))
    return fail(Status::badInput, "{0} is a null pointer", a.rowPtr ? "col" : "rowPtr");
  if (llvm::Error error = checkEnds(a))
    return error;
  return visitPattern(a, [](auto p) { return checkRows(p); });
}

} // namespace specmv
