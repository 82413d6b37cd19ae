// Tests of the generated matrices: exact counts, small cases by brute force, the same numbers
// everywhere, and refusals.
#include "tests/models/lab/families/families_testing.h"

#include <doctest/doctest.h>

using namespace familytest;

namespace {

// Couples every pair of grid points that are neighbours, by their distances along the axes.
Dense laplacian(int nx, int ny, int nz, bool star) {
  const int points = nx * ny * nz;
  const double centre = nz == 1 ? (star ? 4 : 8) : (star ? 6 : 26);
  Dense d(points, std::vector<double>(points));
  for (int i = 0; i < points; ++i)
    for (int j = 0; j < points; ++j) {
      const int x = std::abs(i % nx - j % nx), y = std::abs(i / nx % ny - j / nx % ny),
                z = std::abs(i / (nx * ny) - j / (nx * ny));
      const bool near = star ? x + y + z <= 1 : std::max({x, y, z}) <= 1;
      d[size_t(i)][size_t(j)] = i == j ? centre : near ? -1 : 0;
    }
  return d;
}

} // namespace

TEST_CASE("every family makes a well-formed matrix of its defaults, named by the spec") {
  for (const Family &family : families()) {
    CAPTURE(family.name.str());
    const CsrMatrix a = make(family.name.str());
    CHECK(wellFormed(a));
    CHECK(a.name == (family.name == "twin" ? "twin:bcsstk04" : family.name.str()));
    CHECK_FALSE(family.description.empty());
  }
  CHECK(make("diagonal:n=3,seed=4").name == "diagonal:n=3,seed=4");
}

TEST_CASE("stencil5 on 3 x 2 points is the matrix written out") {
  CHECK(dense(make("stencil5:nx=3,ny=2")) == Dense{{4, -1, 0, -1, 0, 0},
                                                   {-1, 4, -1, 0, -1, 0},
                                                   {0, -1, 4, 0, 0, -1},
                                                   {-1, 0, 0, 4, -1, 0},
                                                   {0, -1, 0, -1, 4, -1},
                                                   {0, 0, -1, 0, -1, 4}});
  CHECK(dense(make("stencil5:n=1")) == Dense{{4}});
}

TEST_CASE("stencils equal the Laplacian made from all pairs of grid points") {
  CHECK(dense(make("stencil5:n=4")) == laplacian(4, 4, 1, true));
  CHECK(dense(make("stencil9:nx=5,ny=3")) == laplacian(5, 3, 1, false));
  CHECK(dense(make("stencil9:nx=1,n=4")) == laplacian(1, 4, 1, false));
  CHECK(dense(make("stencil7:nx=4,ny=2,nz=3")) == laplacian(4, 2, 3, true));
  CHECK(dense(make("stencil27:nx=3,ny=4,nz=2")) == laplacian(3, 4, 2, false));
}

TEST_CASE("stencils have the entries that the formulas give") {
  for (const int64_t n : {1, 2, 7, 30}) {
    const std::string size = ":n=" + std::to_string(n);
    CHECK(make("stencil5" + size).nnz() == 5 * n * n - 4 * n);
    CHECK(make("stencil9" + size).nnz() == (3 * n - 2) * (3 * n - 2));
    CHECK(make("stencil7" + size).nnz() == 7 * n * n * n - 6 * n * n);
    CHECK(make("stencil27" + size).nnz() == (3 * n - 2) * (3 * n - 2) * (3 * n - 2));
  }
  CHECK(make("stencil5:n=950").nnz() == 5 * 950 * 950 - 4 * 950);
}

TEST_CASE("coef=random changes the values of a stencil and nothing else") {
  const CsrMatrix a = make("stencil7:n=6"), b = make("stencil7:n=6,coef=random");
  CHECK(a.col == b.col);
  CHECK(a.rowPtr == b.rowPtr);
  CHECK(
      std::all_of(b.val.begin(), b.val.end(), [](double v) { return v != 0 && std::fabs(v) < 1; }));
  std::vector<double> sorted = b.val;
  std::sort(sorted.begin(), sorted.end());
  CHECK(std::unique(sorted.begin(), sorted.end()) == sorted.end());
}

TEST_CASE("random equals a serial splitmix64 with rejection, row by row") {
  const CsrMatrix a = make("random:k=5,rows=9000,cols=70,seed=11,values=integer");
  REQUIRE(a.nnz() == 45000);
  const double integers[] = {-4, -3, -2, -1, 1, 2, 3, 4};
  bool same = true;
  for (uint64_t row = 0; row < 9000; ++row) {
    Splitmix columns = rowStream(11, 1, row), values = rowStream(11, 2, row);
    std::map<int32_t, bool> expected;
    while (expected.size() < 5)
      expected[int32_t(columns.below(70))] = true;
    size_t entry = size_t(a.rowPtr[row]);
    for (const auto &[column, unused] : expected) {
      same = same && a.col[entry] == column && a.val[entry] == integers[values.below(8)];
      ++entry;
    }
  }
  CHECK(same);
}

TEST_CASE("spread makes every row length of its range, about equally often") {
  const CsrMatrix a = make("random:k=24,spread=0.9,rows=45000");
  std::map<int64_t, int64_t> count;
  for (int64_t row = 0; row < a.rows; ++row)
    ++count[lengthOf(a, row)];
  CHECK(count.begin()->first == 2);
  CHECK(count.rbegin()->first == 46);
  REQUIRE(count.size() == 45);
  for (const auto &[length, times] : count) // 1000 expected; 6 standard deviations
    CHECK(distance(times, 1000) < 190);
}

TEST_CASE("band keeps to its band, holds the diagonal and is clipped at the corners") {
  const CsrMatrix a = make("band:k=17,half=50,rows=3000");
  CHECK(wellFormed(a));
  CHECK(a.nnz() == 17 * 3000);
  CHECK(bandwidth(a) == 50);
  CHECK(onDiagonal(a) == 3000);
  const CsrMatrix full = make("band:k=3,half=1,n=4,values=integer");
  CHECK(full.col == std::vector<int32_t>{0, 1, 0, 1, 2, 1, 2, 3, 2, 3});
  CHECK(make("band:k=1,half=0,n=5").col == std::vector<int32_t>{0, 1, 2, 3, 4});
  CHECK(make("band:k=1,half=0,rows=6,cols=3").col == std::vector<int32_t>{0, 0, 1, 1, 2, 2});
}

TEST_CASE("blocks are full, aligned, in their band and hold the diagonal block") {
  const CsrMatrix a = make("blocks:b=3,k=4,band=6,rows=600");
  REQUIRE(wellFormed(a));
  REQUIRE(a.nnz() == 600 * 12);
  for (int64_t row = 0; row < 600; ++row) {
    const int32_t *col = a.col.data() + row * 12;
    const int32_t *firstRow = a.col.data() + (row - row % 3) * 12;
    CHECK(std::equal(col, col + 12, firstRow));
    bool diagonal = false;
    for (int e = 0; e < 12; e += 3) {
      CHECK(col[e] % 3 == 0);
      CHECK(col[e + 2] == col[e] + 2);
      CHECK(distance(col[e] / 3, row / 3) <= 6);
      diagonal = diagonal || col[e] / 3 == row / 3;
    }
    CHECK(diagonal);
  }
  CHECK(make("blocks:b=3,k=27,band=400,rows=90000").nnz() == 90000 * 81);
}

TEST_CASE("power-law rows have the mean, the limit and the slope that were asked for") {
  struct {
    const char *spec;
    double avg, alpha;
    int64_t max;
  } const cases[] = {
      {"rows=50000,avg=8,alpha=2.2,max=20000", 8, 2.2, 20000},
      {"rows=1000,avg=8,alpha=2.2,max=500", 8, 2.2, 500},
      {"rows=20000,avg=30,alpha=3,max=1000", 30, 3, 1000},
      {"rows=20000,avg=0.5,alpha=2,max=100", 0.5, 2, 100},
      {"rows=20000,avg=12.25,alpha=1.5,max=2000", 12.25, 1.5, 2000},
      {"rows=300,avg=300,max=300", 300, 2.2, 300},
      // Former bugs: no entries, since the scale is too small for a double, or far too few.
      {"rows=20000,avg=8,alpha=1.05", 8, 1.05, 20000},
      {"rows=20000,avg=8,alpha=1.001", 8, 1.001, 20000},
      {"rows=20000,avg=8,alpha=1.0000001", 8, 1.0000001, 20000},
      {"rows=20000,avg=0.01,alpha=1.2", 0.01, 1.2, 20000}};
  for (const auto &c : cases) {
    CAPTURE(std::string(c.spec));
    const CsrMatrix a = make(std::string("powerlaw:") + c.spec);
    CHECK(wellFormed(a));
    CHECK(double(a.nnz()) / double(a.rows) == doctest::Approx(c.avg).epsilon(0.02));
    CHECK(longestRow(a) <= c.max);
  }
  const CsrMatrix a = make("powerlaw:rows=200000,avg=8,alpha=2.2,max=20000");
  auto rowsFrom = [&](int64_t length) {
    double count = 0;
    for (int64_t row = 0; row < a.rows; ++row)
      count += lengthOf(a, row) >= length;
    return count;
  };
  // P(X >= 2x) / P(X >= x) = 2^(1 - alpha), far below the limit.
  CHECK(rowsFrom(20) / rowsFrom(10) == doctest::Approx(std::pow(2, -1.2)).epsilon(0.02));
  CHECK(rowsFrom(200) / rowsFrom(100) == doctest::Approx(std::pow(2, -1.2)).epsilon(0.02));
  CHECK(longestRow(a) > 10000);
}

TEST_CASE("half of a power-law row is local") {
  const CsrMatrix a = make("powerlaw:rows=100000,avg=8");
  int64_t local = 0;
  for (int64_t row = 0; row < a.rows; ++row)
    for (int32_t e = a.rowPtr[size_t(row)]; e < a.rowPtr[size_t(row) + 1]; ++e)
      local += distance(row, a.col[size_t(e)]) <= std::max<int64_t>(64, lengthOf(a, row));
  // The halves of odd rows round up: at most (8 + 1) / 2 of 8, and some of the others by chance.
  CHECK(double(local) / double(a.nnz()) > 0.5);
  CHECK(double(local) / double(a.nnz()) < 0.65);
}

TEST_CASE("dense, diagonal, empty and spike have exactly their entries") {
  const CsrMatrix full = make("dense:rows=3,cols=4");
  CHECK(full.col == std::vector<int32_t>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3});
  CHECK(full.rowPtr == std::vector<int32_t>{0, 4, 8, 12});
  CHECK(make("diagonal:rows=4,cols=2").rowPtr == std::vector<int32_t>{0, 1, 2, 2, 2});
  CHECK(make("diagonal:rows=2,cols=4").col == std::vector<int32_t>{0, 1});
  const CsrMatrix none = make("empty:rows=3,cols=5");
  CHECK(none.rowPtr == std::vector<int32_t>{0, 0, 0, 0});
  CHECK(none.cols == 5);
  CHECK(make("empty:n=0").rowPtr == std::vector<int32_t>{0});
  const CsrMatrix spike = make("spike:rows=500,k=3,spikes=7,length=400");
  CHECK(wellFormed(spike));
  CHECK(spike.nnz() == 493 * 3 + 7 * 400);
  CHECK(longestRow(spike) == 400);
  CHECK(make("spike:rows=5,cols=90,spikes=5").nnz() == 5 * 90);
}

TEST_CASE("the same spec makes the same numbers, another seed others") {
  for (const std::string text : {"random:n=500",
                                 "band:n=500",
                                 "blocks:n=90,k=9",
                                 "powerlaw:n=500",
                                 "spike:n=500",
                                 "dense:n=20",
                                 "stencil9:coef=random",
                                 "elasticity:n=3",
                                 "fem2d:rows=500",
                                 "fem2d:rows=500,order=random",
                                 "circuit:rows=500",
                                 "epidemic:n=20",
                                 "qcd:l=3",
                                 "rmat:scale=8",
                                 "lp:rows=9,cols=900,avg=40",
                                 "rowlengths:dist=poisson,n=500",
                                 "rowlengths:dist=normal,n=500",
                                 "fem3d:n=6",
                                 "coupled:n=4",
                                 "dg:n=3",
                                 "communities:rows=500",
                                 "web:n=500",
                                 "features:rows=50",
                                 "widetable:rows=20",
                                 "hypersparse:n=500",
                                 "arrow:rows=50",
                                 "spin:n=5",
                                 "transfer:n=3",
                                 "kkt:n=3",
                                 "lattice:l=3",
                                 "queue:s=2",
                                 "factor:rows=200",
                                 "molecule:atoms=20",
                                 "knn:rows=300",
                                 "road:rows=300",
                                 "road:rows=300,order=random",
                                 "prefer:rows=300",
                                 "kron:scale=4",
                                 "genes:rows=50",
                                 "text:rows=50",
                                 "twin:bayer09",
                                 "twin:cavity05"}) {
    CAPTURE(text);
    CHECK(equal(make(text), make(text)));
    CHECK(equal(make(text), make(text + ",seed=0")));
    CHECK_FALSE(equal(make(text), make(text + ",seed=1")));
  }
}

TEST_CASE("values=integer keeps the pattern and draws each of -4 .. 4 but 0") {
  const CsrMatrix a = make("random:n=2000,values=random");
  const CsrMatrix b = make("random:n=2000,values=integer");
  CHECK(a.col == b.col);
  std::map<double, int64_t> count;
  for (const double v : b.val)
    ++count[v];
  REQUIRE(count.size() == 8);
  CHECK(count.count(0) == 0);
  for (const auto &[value, times] : count) { // 4000 expected; 6 standard deviations
    CHECK(std::fabs(value) <= 4);
    CHECK(value == std::floor(value));
    CHECK(distance(times, 4000) < 360);
  }
}
