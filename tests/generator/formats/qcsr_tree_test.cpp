// Tests the quadtree of the QCSR paper as printed, against a literal transcription of Algorithm 1.
#include "tests/generator/edge_matrices.h"

#include "generator/formats/qcsr/tree.h"
#include "models/lab/families/families.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

struct Trans {
  std::vector<std::pair<int64_t, int64_t>> entries;
  int64_t d;
  double fill;
  QcsrTree tree = {};

  // The print lacks the `startRow +` of midRow; empty regions are pruned, as in Transf().
  // Searches all entries again for every region.
  void run(int64_t startRow, int64_t endRow, int64_t startColumn, int64_t endColumn,
           int64_t level) {
    tree.depth = std::max(tree.depth, level);
    const auto nnz = std::count_if(entries.begin(), entries.end(), [&](auto &e) {
      return e.first >= startRow && e.first < endRow && e.second >= startColumn &&
             e.second < endColumn;
    });
    if (nnz == 0) {
      ++tree.empty;
      return;
    }
    tree.inner += endRow - startRow > d || endColumn - startColumn > d;
    const int64_t detRow = endRow - startRow, detColumn = endColumn - startColumn;
    const int64_t midRow = startRow + detRow / 2, midColumn = startColumn + detColumn / 2;
    if (detRow > d && detColumn > d) {
      run(startRow, midRow, startColumn, midColumn, level + 1);
      run(midRow, endRow, startColumn, midColumn, level + 1);
      run(startRow, midRow, midColumn, endColumn, level + 1);
      run(midRow, endRow, midColumn, endColumn, level + 1);
    } else if (detColumn > d) {
      run(startRow, endRow, startColumn, midColumn, level + 1);
      run(startRow, endRow, midColumn, endColumn, level + 1);
    } else if (detRow > d) {
      run(startRow, midRow, startColumn, endColumn, level + 1);
      run(midRow, endRow, startColumn, endColumn, level + 1);
    } else {
      const double density = static_cast<double>(nnz) / static_cast<double>(detRow * detColumn);
      ++(density > fill ? tree.full : tree.sparse);
    }
  }
};

QcsrTree byTrans(const CsrMatrix &a, int64_t d, double fill) {
  Trans trans{{}, d, fill};
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
      trans.entries.emplace_back(i, a.col[e]);
  trans.run(0, a.rows, 0, a.cols, 0);
  return trans.tree;
}

} // namespace

TEST_CASE("QCSR's tree as printed is that of Algorithm 1") {
  std::vector<CsrMatrix> matrices = edgeMatrices();
  matrices.push_back(llvm::cantFail(generateFamily("stencil5:nx=23,ny=19")));
  int64_t full = 0;
  for (const CsrMatrix &a : matrices)
    for (int64_t d : {1, 7, 16, 33, 64, 600, 100000})
      for (double fill : {0.0, 0.25, 0.8, 1.0}) {
        if (d == 1 && a.nnz() > 1000)
          continue; // the naive version takes too long
        CAPTURE(a.name);
        CAPTURE(d);
        CAPTURE(fill);
        const QcsrTree tree = qcsrTreeAsPrinted(a.view(), d, fill);
        CHECK((tree == byTrans(a, d, fill)));
        full += fill == 0.8 ? tree.full : 0;
      }
  CHECK(full > 0);
}

TEST_CASE("QCSR's tree by hand") {
  // Halving 5 x 5 at d = 2 cuts at 2, and 2 .. 5 at 3: rows and columns {0,1} {2} {3,4}.
  const CsrMatrix dense = matrixOf("5x5", 5, 5, [](int64_t) { return run(0, 5); });
  CHECK((qcsrTreeAsPrinted(dense.view(), 2, 0.5) == QcsrTree{0, 0, 9, 2, 4}));
  CHECK((qcsrTreeAsPrinted(dense.view(), 2, 1.0) == QcsrTree{0, 9, 0, 2, 4}));
  const CsrMatrix diagonal =
      matrixOf("diagonal", 5, 5, [](int64_t i) { return Row{static_cast<int32_t>(i)}; });
  // E are the two quarters beside the diagonal and two of the four parts of 2 .. 5; {2} is full.
  CHECK((qcsrTreeAsPrinted(diagonal.view(), 2, 0.5) == QcsrTree{4, 2, 1, 2, 2}));
  CHECK((qcsrTreeAsPrinted(diagonal.view(), 5, 0.5) == QcsrTree{0, 1, 0, 0}));
  CHECK(qcsrTreeAsPrinted(diagonal.view(), 2, 0.5).tiles() == 3);
  CHECK(qcsrTreeBytes(qcsrTreeAsPrinted(dense.view(), 2, 0.5)) == 48); // 4 nodes of 12 bytes
}

TEST_CASE("the depth of QCSR's tree is ceil(log2(n / d)), not the log4 n of the print") {
  for (int64_t n : {1, 2, 5, 16, 17, 100, 1000})
    for (int64_t d : {1, 2, 16, 17, 100}) {
      const CsrMatrix a =
          matrixOf("diagonal", n, n, [](int64_t i) { return Row{static_cast<int32_t>(i)}; });
      int64_t depth = 0;
      while (d << depth < n)
        ++depth;
      CAPTURE(n);
      CAPTURE(d);
      CHECK(qcsrTreeAsPrinted(a.view(), d, 0.5).depth == depth);
    }
}
