// Mycielski's graphs without triangles ("Sur le coloriage des graphes", 1955), as in mycielskianK
// of the SuiteSparse collection. M(2) is an edge. M(k) has the n vertices of M(k-1), a copy of each
// that is joined to the neighbours of its original, and one vertex that is joined to all copies. It
// has 3 2^(k-2) - 1 vertices; all values are 1.
#include "models/lab/families/build.h"

namespace specmv {
static int64_t countVertices(int64_t k) { return 3 * (int64_t{1} << (k - 2)) - 1; }

static int64_t degree(int64_t k, int64_t vertex) {
  if (k == 2)
    return 1;
  const int64_t n = countVertices(k - 1);
  return vertex < n       ? 2 * degree(k - 1, vertex)
         : vertex < 2 * n ? degree(k - 1, vertex - n) + 1
                          : n;
}

// Writes the neighbours of a vertex, ascending, and returns their number.
static size_t fillAdjacent(int64_t k, int64_t vertex, std::span<int32_t> out) {
  if (k == 2) {
    out[0] = static_cast<int32_t>(1 - vertex);
    return 1;
  }
  const auto n = static_cast<int32_t>(countVertices(k - 1));
  if (vertex == 2 * n) {
    for (int32_t copy = 0; copy < n; ++copy)
      out[static_cast<size_t>(copy)] = n + copy;
    return static_cast<size_t>(n);
  }
  size_t count = fillAdjacent(k - 1, vertex < n ? vertex : vertex - n, out);
  if (vertex >= n) {
    out[count] = 2 * n;
    return count + 1;
  }
  for (size_t i = 0; i < count; ++i)
    out[count + i] = out[i] + n;
  return 2 * count;
}

llvm::Expected<CsrMatrix> generateMycielskian(const SpecOptions &options) {
  const int64_t k = options.integer("k"), rows = countVertices(k);
  return buildMatrix(
      rows, rows, [k](int64_t row) { return degree(k, row); },
      [k](int64_t row, std::span<int32_t> col, std::span<double> val) {
        fillAdjacent(k, row, col);
        std::fill(val.begin(), val.end(), 1.0);
      });
}

} // namespace specmv
