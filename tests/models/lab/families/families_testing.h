// Utilities for the tests of the families: making a matrix, examining its rows and pattern, and the
// message of a refusal.
#pragma once

#include "models/base/error.h"
#include "models/lab/families/families.h"
#include "tests/text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace familytest {

using namespace specmv;
using specmv::testing::contains;
using Dense = std::vector<std::vector<double>>;

inline CsrMatrix make(const std::string &spec) { return llvm::cantFail(generateFamily(spec)); }

inline std::pair<Status, std::string> refusal(const std::string &spec) {
  llvm::Expected<CsrMatrix> matrix = generateFamily(spec);
  if (!matrix)
    return describe(matrix.takeError());
  return {Status::internal, "accepted"};
}

inline int64_t lengthOf(const CsrMatrix &a, int64_t row) {
  return a.rowPtr[size_t(row) + 1] - a.rowPtr[size_t(row)];
}

inline int64_t longestRow(const CsrMatrix &a) {
  int64_t longest = 0;
  for (int64_t row = 0; row < a.rows; ++row)
    longest = std::max(longest, lengthOf(a, row));
  return longest;
}

// Standard deviation of the row lengths.
inline double spreadOf(const CsrMatrix &a) {
  const double mean = double(a.nnz()) / double(a.rows);
  double squares = 0;
  for (int64_t row = 0; row < a.rows; ++row)
    squares += (double(lengthOf(a, row)) - mean) * (double(lengthOf(a, row)) - mean);
  return std::sqrt(squares / double(a.rows));
}

inline Dense dense(const CsrMatrix &a) {
  Dense d(size_t(a.rows), std::vector<double>(size_t(a.cols)));
  for (size_t row = 0; row < d.size(); ++row)
    for (int32_t e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e)
      d[row][size_t(a.col[size_t(e)])] += a.val[size_t(e)];
  return d;
}

// The entries that are present, as ones.
inline Dense pattern(const CsrMatrix &a) {
  Dense d = dense(a);
  for (std::vector<double> &row : d)
    for (double &value : row)
      value = value != 0;
  return d;
}

inline bool hasEntry(const CsrMatrix &a, int64_t row, int64_t col) {
  const auto first = a.col.begin() + a.rowPtr[size_t(row)];
  return std::binary_search(first, first + lengthOf(a, row), int32_t(col));
}

// The number of entries whose mirror image is an entry too.
inline int64_t mirrored(const CsrMatrix &a) {
  int64_t count = 0;
  for (int64_t row = 0; row < a.rows; ++row)
    for (int32_t e = a.rowPtr[size_t(row)]; e < a.rowPtr[size_t(row) + 1]; ++e)
      count += hasEntry(a, a.col[size_t(e)], row);
  return count;
}

inline int64_t onDiagonal(const CsrMatrix &a) {
  int64_t count = 0;
  for (int64_t row = 0; row < std::min(a.rows, a.cols); ++row)
    count += hasEntry(a, row, row);
  return count;
}

inline int64_t distance(int64_t a, int64_t b) { return a < b ? b - a : a - b; }

inline int64_t bandwidth(const CsrMatrix &a) {
  int64_t farthest = 0;
  for (int64_t row = 0; row < a.rows; ++row)
    for (int32_t e = a.rowPtr[size_t(row)]; e < a.rowPtr[size_t(row) + 1]; ++e)
      farthest = std::max(farthest, distance(row, a.col[size_t(e)]));
  return farthest;
}

inline bool wellFormed(const CsrMatrix &a) {
  if (int64_t(a.rowPtr.size()) != a.rows + 1 || a.rowPtr.front() != 0 ||
      a.rowPtr.back() != a.nnz() || a.val.size() != a.col.size())
    return false;
  for (size_t row = 0; row + 1 < a.rowPtr.size(); ++row)
    for (int32_t e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e) {
      const int32_t least = e == a.rowPtr[row] ? 0 : a.col[size_t(e) - 1] + 1;
      if (a.col[size_t(e)] < least || a.col[size_t(e)] >= a.cols || a.val[size_t(e)] == 0)
        return false;
    }
  return true;
}

inline bool samePattern(const CsrMatrix &a, const CsrMatrix &b) {
  return a.rows == b.rows && a.cols == b.cols && a.rowPtr == b.rowPtr && a.col == b.col;
}

inline bool equal(const CsrMatrix &a, const CsrMatrix &b) {
  return samePattern(a, b) && a.val == b.val;
}

// splitmix64 as published, and floor(draw n / 2^64) in 128 bits.
struct Splitmix {
  uint64_t state;
  static uint64_t finish(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  uint64_t next() { return finish(state += 0x9e3779b97f4a7c15U); }
  uint64_t below(uint64_t n) {
    return uint64_t((static_cast<unsigned __int128>(next()) * n) >> 64);
  }
};

inline Splitmix rowStream(uint64_t seed, uint64_t stream, uint64_t row) {
  return {Splitmix::finish(Splitmix::finish(Splitmix::finish(seed) + stream) + row)};
}

} // namespace familytest
