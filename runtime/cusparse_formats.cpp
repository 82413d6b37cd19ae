// Packs a CSR matrix into cuSPARSE's COO and sliced ELL on the host.
#include "runtime/cusparse_formats.h"

#include "models/parallel.h"

#include <algorithm>
#include <cusparse.h>
#include <limits>

namespace specmv {

constexpr std::array<CusparseAlgorithm, 5> kCusparseAlgorithms = {{
    {"cusparse-csr", CusparseFormat::csr, CUSPARSE_SPMV_ALG_DEFAULT, false},
    {"cusparse-csr1", CusparseFormat::csr, CUSPARSE_SPMV_CSR_ALG1, true},
    {"cusparse-csr2", CusparseFormat::csr, CUSPARSE_SPMV_CSR_ALG2, true},
    {"cusparse-coo", CusparseFormat::coo, CUSPARSE_SPMV_COO_ALG1, false},
    {"cusparse-sell", CusparseFormat::slicedEll, CUSPARSE_SPMV_SELL_ALG1, false},
}};

namespace {

// Padding for each entry above which sliced ELL is refused: it stores over 21 times what CSR does
// then, and cannot be the best of cuSPARSE's.
constexpr int64_t kMostPadding = 20;

// Rows, and slices, that a thread converts at once: enough work to be worth handing out, little
// enough to balance uneven rows.
constexpr int64_t kRowGrain = 4096, kSliceGrain = kRowGrain / kCusparseSlice;

template <class I> int64_t widthOf(const CsrPattern<I> &a, int64_t slice, int64_t s) {
  int64_t width = 0;
  for (int64_t i = s * slice; i < std::min(a.rows, (s + 1) * slice); ++i)
    width = std::max<int64_t>(width, a.rowPtr[i + 1] - a.rowPtr[i]);
  return width;
}

int64_t slicesOf(int64_t rows, int64_t slice) { return (rows + slice - 1) / slice; }

// Puts row i of A into its slice.
template <class I, class V>
void packRow(const CsrPattern<I> &a, const V *val, int64_t slice, int64_t i, SlicedEll<I, V> &out) {
  int64_t to = out.sliceOffsets[i / slice] + i % slice;
  for (int64_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e, to += slice) {
    out.col[to] = a.col[e];
    out.val[to] = val[e];
  }
}

llvm::Error checkSlicedEll(const CsrView &a, int64_t memoryBytes) {
  const int64_t stored = slicedEllElements(a, kCusparseSlice);
  if (stored - a.nnz > kMostPadding * a.nnz)
    return fail(Status::notApplicable,
                "sliced ELL would store {0} elements for {1} entries, over {2} of padding for each",
                stored, a.nnz, kMostPadding);
  if (a.indexType == IndexType::i32 && stored > std::numeric_limits<int32_t>::max())
    return fail(Status::notApplicable,
                "sliced ELL would store {0} elements, beyond 32-bit slice offsets", stored);
  const auto elementBytes = static_cast<int64_t>(sizeOf(a.indexType) + sizeOf(a.valueType));
  if (stored > memoryBytes / elementBytes)
    return fail(Status::notApplicable,
                "sliced ELL would store {0} elements of {1} bytes; the GPU has {2} bytes", stored,
                elementBytes, memoryBytes);
  return llvm::Error::success();
}

} // namespace

llvm::Error cusparseApplies(const CsrView &a, const CusparseAlgorithm &algorithm,
                            int64_t memoryBytes) {
  if (a.rows == 0 || a.cols == 0 || a.nnz == 0)
    return fail(Status::notApplicable, "{0} needs entries; the matrix is {1} x {2} with {3}",
                algorithm.name, a.rows, a.cols, a.nnz);
  if (algorithm.format == CusparseFormat::slicedEll)
    return checkSlicedEll(a, memoryBytes);
  return llvm::Error::success();
}

template <class I> std::vector<I> rowOfEachEntry(const CsrPattern<I> &a) {
  std::vector<I> row(static_cast<size_t>(a.nnz));
  parallelFor(a.rows, kRowGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      std::fill(row.begin() + a.rowPtr[i], row.begin() + a.rowPtr[i + 1], static_cast<I>(i));
  });
  return row;
}

template std::vector<int32_t> rowOfEachEntry(const CsrPattern<int32_t> &);
template std::vector<int64_t> rowOfEachEntry(const CsrPattern<int64_t> &);

int64_t slicedEllElements(const CsrView &a, int64_t slice) {
  return visitPattern(a, [&](const auto &pattern) {
    int64_t elements = 0;
    for (int64_t s = 0; s < slicesOf(a.rows, slice); ++s)
      elements += widthOf(pattern, slice, s) * slice;
    return elements;
  });
}

template <class I, class V>
SlicedEll<I, V> packSlicedEll(const CsrPattern<I> &a, const V *val, int64_t slice) {
  const int64_t slices = slicesOf(a.rows, slice);
  SlicedEll<I, V> out;
  out.sliceOffsets.resize(static_cast<size_t>(slices) + 1);
  for (int64_t s = 0; s < slices; ++s)
    out.sliceOffsets[s + 1] = static_cast<I>(out.sliceOffsets[s] + widthOf(a, slice, s) * slice);
  out.col.assign(static_cast<size_t>(out.sliceOffsets.back()), I{-1});
  out.val.resize(out.col.size());
  parallelFor(slices, kSliceGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * slice; i < std::min(a.rows, end * slice); ++i)
      packRow(a, val, slice, i, out);
  });
  return out;
}

template SlicedEll<int32_t, float> packSlicedEll(const CsrPattern<int32_t> &, const float *,
                                                 int64_t);
template SlicedEll<int32_t, double> packSlicedEll(const CsrPattern<int32_t> &, const double *,
                                                  int64_t);
template SlicedEll<int64_t, float> packSlicedEll(const CsrPattern<int64_t> &, const float *,
                                                 int64_t);
template SlicedEll<int64_t, double> packSlicedEll(const CsrPattern<int64_t> &, const double *,
                                                  int64_t);

} // namespace specmv
