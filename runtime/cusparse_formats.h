// What cuSPARSE is asked for: its algorithms, which matrices they take, and the formats that a
// matrix is converted to for them on the host.
#pragma once

#include "models/csr.h"
#include "models/error.h"

#include <array>
#include <cstdint>
#include <vector>

namespace specmv {

enum class CusparseFormat : uint8_t { csr, coo, slicedEll };

struct CusparseAlgorithm {
  const char *name; // "cusparse-csr1"
  CusparseFormat format;
  int number;      // cusparseSpMVAlg_t
  bool preprocess; // whether cusparseSpMV_preprocess is called once before the products
};

extern const std::array<CusparseAlgorithm, 5> kCusparseAlgorithms;

// Rows of a slice: those of a warp, so that a warp reads a column of the slice at once.
constexpr int64_t kCusparseSlice = 32;

// Whether the algorithm takes this matrix on a GPU with so much memory: Status::notApplicable, with
// the numbers, where the matrix has no rows, columns or entries, or where sliced ELL would store
// too much.
llvm::Error cusparseApplies(const CsrView &a, const CusparseAlgorithm &algorithm,
                            int64_t memoryBytes);

// The row indices of COO, whose other arrays are those of CSR.
template <class I> std::vector<I> rowOfEachEntry(const CsrPattern<I> &a);

// Sliced ELL as cuSPARSE takes it: slice s holds the rows from s * slice on and has its elements at
// sliceOffsets[s] .. sliceOffsets[s+1]-1, as wide as its longest row and column by column: entry k
// of its row r at sliceOffsets[s] + k * slice + r. Padding has column -1 and value 0, also in the
// rows that the last slice has too many.
template <class I, class V> struct SlicedEll {
  std::vector<I> sliceOffsets, col;
  std::vector<V> val;
};

// The elements that sliced ELL stores, padding included.
int64_t slicedEllElements(const CsrView &a, int64_t slice);

// Their number must be within I: see cusparseApplies().
template <class I, class V>
SlicedEll<I, V> packSlicedEll(const CsrPattern<I> &a, const V *val, int64_t slice);

} // namespace specmv
