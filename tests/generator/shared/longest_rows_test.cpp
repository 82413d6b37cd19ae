// Tests of the longest rows of groups, against groups that are counted.
#include "generator/shared/lengths.h"

#include "models/lab/families/families.h"
#include "tests/generator/edge_matrices.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace specmv;
using namespace specmv::testing;

namespace {

double counted(const CsrMatrix &a, int64_t rows) {
  double sum = 0;
  for (int64_t begin = 0; begin < a.rows; begin += rows) {
    int32_t longest = 0;
    for (int64_t row = begin; row < std::min(a.rows, begin + rows); ++row)
      longest = std::max(longest, a.rowPtr[row + 1] - a.rowPtr[row]);
    sum += static_cast<double>(longest * rows);
  }
  return sum / static_cast<double>(a.rows);
}

} // namespace

TEST_CASE("the longest of up to 128 rows is counted, and of more it is near") {
  for (const char *spec : {"rowlengths:dist=uniform,mean=30,rows=65536,columns=uniform",
                           "widetable:rows=32768,cols=9000,least=4,most=900"}) {
    CAPTURE(std::string(spec));
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    const SparsityProfile p = profile(a.view());
    for (const int64_t rows : {1, 2, 16, 128})
      CHECK(longestOfRows(p, rows) == doctest::Approx(counted(a, rows)));
    for (const int64_t rows : {256, 1024, 4096})
      CHECK(longestOfRows(p, rows) == doctest::Approx(counted(a, rows)).epsilon(0.15));
    for (const int64_t rows : {2, 64, 256, 2048})
      CHECK(longestOfRows(p, rows) >= longestOfRows(p, rows / 2));
  }
}

TEST_CASE("groups of more rows than there are have at most the longest row, also of no entries") {
  for (const CsrMatrix &a : edgeMatrices()) {
    CAPTURE(a.name);
    const SparsityProfile p = profile(a.view());
    const double longest = p.lengths.empty() ? 0 : static_cast<double>(p.lengths.back().length);
    // Slices are padded to whole ones, so that a short last one counts with all of its places.
    const double most =
        p.rows > 0 ? longest * static_cast<double>(std::max<int64_t>(128, 2 * p.rows)) : 0;
    CHECK(longestOfRows(p, 1) * static_cast<double>(p.rows) ==
          doctest::Approx(static_cast<double>(p.nnz)));
    for (const int64_t rows : {16, 128, 4096}) {
      CHECK(longestOfRows(p, rows) >= 0);
      CHECK(longestOfRows(p, rows) <= most);
    }
  }
}
