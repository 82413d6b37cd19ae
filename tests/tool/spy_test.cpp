// Tests the pictures of a report: counts of cells against counts entry by entry, the choice of
// parts, the sample of symmetry, and the axes of charts.
#include "models/base/parallel.h"
#include "models/lab/families/families.h"
#include "runtime/cli/report/html.h"
#include "runtime/cli/report/spy.h"

#include <doctest/doctest.h>
#include <llvm/Support/Error.h>

#include <numeric>

using namespace specmv;
using namespace specmv::cli;

namespace {

CsrMatrix familyMatrix(const char *spec) { return llvm::cantFail(generateFamily(spec)); }

int64_t sumOf(const SpyGrid &grid) {
  return std::accumulate(grid.entries.begin(), grid.entries.end(), int64_t{0});
}

// Counts by the definition: a place belongs to the cell of its share of the window.
std::vector<int64_t> countedOneByOne(const CsrMatrix &m, const SpyGrid &grid) {
  const SpyWindow &w = grid.window;
  std::vector<int64_t> out(grid.entries.size());
  for (int64_t row = w.firstRow; row < w.endRow; ++row)
    for (int32_t e = m.rowPtr[row]; e < m.rowPtr[row + 1]; ++e)
      if (m.col[e] >= w.firstCol && m.col[e] < w.endCol)
        ++out[(row - w.firstRow) * grid.down / w.height() * grid.across +
              (m.col[e] - w.firstCol) * grid.across / w.width()];
  return out;
}

} // namespace

TEST_CASE("cells have the entries that lie in them, whatever the number of threads") {
  for (const char *spec : {"powerlaw:rows=3001,avg=8", "dense:rows=1,cols=9999",
                           "dense:rows=9999,cols=1", "spike:rows=3000", "diagonal:n=1",
                           "hypersparse:rows=50000", "lp:rows=100", "stencil5:n=37"}) {
    CAPTURE(spec);
    const CsrMatrix m = familyMatrix(spec);
    const std::vector<SpyGrid> levels = spyLevels(m.view(), 4);
    CHECK(levels.front().window == SpyWindow{0, m.rows, 0, m.cols});
    CHECK(sumOf(levels.front()) == m.nnz());
    for (const SpyGrid &grid : levels)
      CHECK(grid.entries == countedOneByOne(m, grid));
    const ThreadLimit limit(1);
    CHECK(countSpy(m.view(), levels.back().window).entries == levels.back().entries);
  }
}

TEST_CASE("each part lies in the one before and has entries, and the last has small cells") {
  for (const char *spec : {"powerlaw:rows=100000,avg=8", "spike:rows=3000", "diagonal:n=1000000",
                           "dense:rows=1,cols=9999", "stencil5:n=300"}) {
    CAPTURE(spec);
    const std::vector<SpyGrid> levels = spyLevels(familyMatrix(spec).view(), 4);
    CHECK(levels.size() > 1);
    CHECK(levels.size() <= 4);
    for (size_t i = 1; i < levels.size(); ++i) {
      const SpyWindow &w = levels[i].window, &of = levels[i - 1].window;
      CHECK((w.firstRow >= of.firstRow && w.endRow <= of.endRow));
      CHECK((w.firstCol >= of.firstCol && w.endCol <= of.endCol));
      CHECK(sumOf(levels[i]) > 0);
    }
    CHECK(levels.back().placesOfCell() == 1);
  }
  CHECK(spyLevels(familyMatrix("diagonal:n=9").view(), 4).size() == 1);
  CHECK(spyLevels(familyMatrix("empty:n=5000").view(), 4).size() == 1);
}

TEST_CASE("the sample of symmetry finds partners and equal values") {
  const SymmetrySample laplace = sampleSymmetry(familyMatrix("stencil5:n=30").view());
  CHECK(laplace.isAll);
  CHECK(laplace.entries == 4 * 30 * 30 - 4 * 30);
  CHECK(laplace.mirrored == laplace.entries);
  CHECK(laplace.equal == laplace.entries);
  const SymmetrySample large = sampleSymmetry(familyMatrix("stencil5:n=300").view());
  CHECK_FALSE(large.isAll);
  CHECK(large.entries <= kMostMirrored);
  CHECK(large.mirrored == large.entries);
  // (0, 1) = 2 and (1, 0) = 3 mirror each other, (2, 0) has no partner.
  CsrMatrix m{"m", 3, 3, {0, 1, 2, 4}, {1, 0, 0, 2}, {2, 3, 4, 5}};
  const SymmetrySample small = sampleSymmetry(m.view());
  CHECK(small.entries == 3);
  CHECK(small.mirrored == 2);
  CHECK(small.equal == 0);
  m.val[1] = 2;
  CHECK(sampleSymmetry(m.view()).equal == 2);
}

TEST_CASE("axes have few ticks, in order and within their ends") {
  for (const Scale scale : {Scale::linear, Scale::decades, Scale::counts})
    for (const double least : {0.001, 0.02, 1.0, 90.0})
      for (const double times : {1.5, 3.0, 40.0, 1e4, 1e9}) {
        const Axis axis{least, least * times, scale, "", nullptr, 0, 100};
        const std::vector<double> ticks = axis.ticks();
        CHECK(ticks.size() <= 14);
        CHECK((!ticks.empty() || times < 2));
        CHECK(std::is_sorted(ticks.begin(), ticks.end()));
        CHECK(axis.at(axis.least) == 0);
        CHECK(axis.at(axis.most) == doctest::Approx(100));
        CHECK(axis.at(axis.most * 10) == doctest::Approx(100)); // drawn at the edge
      }
  CHECK(tickText(0) == "0");
  CHECK(tickText(0.0001) == "0.0001");
  CHECK(tickText(0.15) == "0.15");
  CHECK(tickText(0.2) == "0.2");
  CHECK(tickText(20) == "20");
  CHECK(tickText(5000) == "5k");
  CHECK(tickText(2.5e13) == "25T");
  CHECK(timeTick(20) == "20 us");
  CHECK(timeTick(2500000) == "2.5 s");
}
