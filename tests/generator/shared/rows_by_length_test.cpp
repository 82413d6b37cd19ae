// Tests of the order of rows by length against a stable sort.
#include "tests/generator/edge_matrices.h"

#include "generator/shared/rows_by_length.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

// Sorts each window with the standard library.
std::vector<int64_t> expectedOrder(const CsrMatrix &a, int64_t window) {
  std::vector<int64_t> order(static_cast<size_t>(a.rows));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (int64_t begin = 0; begin < a.rows; begin += window)
    std::stable_sort(order.begin() + begin, order.begin() + std::min(begin + window, a.rows),
                     [&](int64_t left, int64_t right) {
                       return a.rowPtr[left + 1] - a.rowPtr[left] >
                              a.rowPtr[right + 1] - a.rowPtr[right];
                     });
  return order;
}

} // namespace

TEST_CASE("rows are in a stable order of descending length within each window") {
  std::vector<CsrMatrix> matrices = edgeMatrices();
  // Several windows per thread, several threads, and a window that is cut off.
  matrices.push_back(matrixOf("many rows", 9001, 100, [](int64_t i) {
    return run(0, i % 1000 == 7 ? 100 : (i * 7919) % 11);
  }));
  for (const CsrMatrix &a : matrices)
    for (int64_t window : {int64_t{1}, int64_t{2}, int64_t{64}, int64_t{4096}, int64_t{5000},
                           std::max<int64_t>(1, a.rows), a.rows + 100}) {
      CAPTURE(a.name);
      CAPTURE(window);
      CHECK(rowsByLength(a.view(), window) == expectedOrder(a, window));
      CHECK(rowsByLength(WideMatrix(a).view(), window) == expectedOrder(a, window));
    }
}
