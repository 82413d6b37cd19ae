// Makes a CSR matrix from the entries of a Matrix Market file. Sorts them by row with a counting
// sort that keeps the order of the file. Then sorts the columns of each row and sums duplicates.
#include "models/base/memory.h"
#include "models/lab/matrix_market/parts.h"

#include <algorithm>
#include <numeric>

namespace specmv::matrixmarket {

// Calls f(row, col, value) for every entry, and for its mirror image right after it.
template <class F> static void forEachEntry(const Header &h, const Pieces &pieces, const F &f) {
  const bool mirrored = h.symmetry != Symmetry::general;
  const double sign = h.symmetry == Symmetry::skew ? -1 : 1;
  for (const std::vector<Triplet> &piece : pieces)
    for (const Triplet &t : piece) {
      f(t.row, t.col, t.value);
      if (mirrored && t.row != t.col)
        f(t.col, t.row, sign * t.value);
    }
}

// Counts in 64 bits, to detect a number of entries that is too large for 32 bits.
static int64_t countWritten(const Header &h, const Pieces &pieces) {
  int64_t count = 0;
  forEachEntry(h, pieces, [&](int32_t, int32_t, double) { ++count; });
  return count;
}

// While counting, rowPtr is shifted by one place: ptr[1 + i] is then the start of row i. Scattering
// the entries moves it to the end of row i, which is the start of row i + 1.
static void sortByRow(const Header &h, const Pieces &pieces, CsrMatrix &a) {
  a.rowPtr.assign(static_cast<size_t>(h.rows) + 2, 0);
  int32_t *ptr = a.rowPtr.data();
  forEachEntry(h, pieces, [&](int32_t row, int32_t, double) { ++ptr[row + 2]; });
  std::partial_sum(a.rowPtr.begin(), a.rowPtr.end(), a.rowPtr.begin());
  forEachEntry(h, pieces,
               [&, col = a.col.data(), val = a.val.data()](int32_t i, int32_t j, double v) {
                 int32_t at = (ptr + 1)[i]++;
                 col[at] = j;
                 val[at] = v;
               });
  a.rowPtr.pop_back();
}

namespace {
struct Entry {
  int32_t col, order;
  double value;
  bool operator<(const Entry &b) const { return col != b.col ? col < b.col : order < b.order; }
};
} // namespace

constexpr int32_t kGone = -1; // the column of a duplicate that was added to the first entry

// Sorts a row of n entries and sums duplicates; returns true if there were any.
static bool tidyRow(int32_t *col, double *val, int32_t n, std::vector<Entry> &scratch) {
  if (std::adjacent_find(col, col + n, std::greater_equal<>()) == col + n)
    return false;
  scratch.clear();
  for (int32_t k = 0; k < n; ++k)
    scratch.push_back({col[k], k, val[k]});
  std::sort(scratch.begin(), scratch.end());
  int32_t kept = 0;
  for (const Entry &e : scratch)
    if (kept > 0 && col[kept - 1] == e.col) {
      val[kept - 1] += e.value;
    } else {
      col[kept] = e.col;
      val[kept++] = e.value;
    }
  std::fill(col + kept, col + n, kGone);
  return kept < n;
}

// Closes the gaps that duplicates left.
static void compact(CsrMatrix &a) {
  size_t kept = 0;
  for (size_t row = 0, k = 0; row + 1 < a.rowPtr.size(); ++row) {
    for (const auto end = static_cast<size_t>(a.rowPtr[row + 1]); k < end; ++k)
      if (a.col[k] != kGone) {
        a.col[kept] = a.col[k];
        a.val[kept++] = a.val[k];
      }
    a.rowPtr[row + 1] = static_cast<int32_t>(kept);
  }
  a.col.resize(kept);
  a.val.resize(kept);
}

// Returns false if memory ran out.
static bool tidyRows(CsrMatrix &a) {
  constexpr int64_t kRowsAtOnce = 4096; // derived: about 100 KB of entries, and few calls
  std::atomic<bool> duplicates{false};
  bool enough = parallelWithMemory(a.rows, kRowsAtOnce, [&](int64_t begin, int64_t end) {
    std::vector<Entry> scratch;
    for (int64_t row = begin; row < end; ++row) {
      const int32_t *bounds = a.rowPtr.data() + row;
      if (tidyRow(a.col.data() + bounds[0], a.val.data() + bounds[0], bounds[1] - bounds[0],
                  scratch))
        duplicates = true;
    }
  });
  if (enough && duplicates)
    compact(a);
  return enough;
}

llvm::Expected<CsrMatrix> assemble(llvm::StringRef file, const Header &h, const Pieces &pieces) {
  const int64_t count = countWritten(h, pieces);
  if (count > kMostIndex)
    return fileError(Status::badInput, file,
                     "{0} entries, including the mirrored ones, exceed the limit of {1}", count,
                     kMostIndex);
  if (!memoryHolds(int64_t{h.rows} * 4 + count * kEntryBytes))
    return outOfMemory(file);
  CsrMatrix a;
  a.rows = h.rows;
  a.cols = h.cols;
  a.col.resize(static_cast<size_t>(count));
  a.val.resize(static_cast<size_t>(count));
  sortByRow(h, pieces, a);
  if (!tidyRows(a))
    return outOfMemory(file);
  return a;
}

} // namespace specmv::matrixmarket
