// Tests of the families on grids: the torus by brute force, blocks with missing entries, and
// elements that share a face.
#include "tests/models/lab/families/families_testing.h"

#include <doctest/doctest.h>

#include <array>
#include <numeric>
#include <set>

using namespace familytest;

namespace {

// Couples every pair of points of a torus that are neighbours, by their shortest distances along
// the axes.
Dense torus(int nx, int ny, int nz, bool star) {
  const size_t points = size_t(nx) * size_t(ny) * size_t(nz);
  const auto apart = [](int a, int b, int side) {
    return std::min(std::abs(a - b), side - std::abs(a - b));
  };
  Dense d(points, std::vector<double>(points));
  for (int i = 0; i < nx * ny * nz; ++i)
    for (int j = 0; j < nx * ny * nz; ++j) {
      const int x = apart(i % nx, j % nx, nx), y = apart(i / nx % ny, j / nx % ny, ny),
                z = apart(i / (nx * ny), j / (nx * ny), nz);
      d[size_t(i)][size_t(j)] = star ? x + y + z <= 1 : std::max({x, y, z}) <= 1;
    }
  return d;
}

// Replaces each entry by a full block.
Dense expanded(const Dense &small, size_t b) {
  Dense large(small.size() * b, std::vector<double>(small.size() * b));
  for (size_t i = 0; i < large.size(); ++i)
    for (size_t j = 0; j < large.size(); ++j)
      large[i][j] = small[i / b][j / b];
  return large;
}

using Corner = std::array<int, 3>;

// The corners of all elements, cell by cell: from the lowest corner along the axes, in each order.
std::vector<std::set<Corner>> elements(int n, size_t dim) {
  const std::array<std::array<size_t, 3>, 6> orders = {
      {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
  std::vector<std::set<Corner>> all;
  for (int cell = 0; cell < (dim == 2 ? n * n : n * n * n); ++cell)
    for (size_t order = 0; order < (dim == 2 ? 2 : 6); ++order) {
      Corner corner{cell % n, cell / n % n, cell / n / n};
      std::set<Corner> &corners = all.emplace_back(std::set<Corner>{corner});
      for (size_t step = 0; step < dim; ++step) {
        ++corner[orders[order][step]];
        corners.insert(corner);
      }
    }
  return all;
}

// Couples pairs of elements that are the same or share a face.
Dense facing(int n, size_t dim) {
  const std::vector<std::set<Corner>> all = elements(n, dim);
  Dense d(all.size(), std::vector<double>(all.size()));
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = 0; j < all.size(); ++j) {
      std::vector<Corner> common;
      std::set_intersection(all[i].begin(), all[i].end(), all[j].begin(), all[j].end(),
                            std::back_inserter(common));
      d[i][j] = common.size() >= dim;
    }
  return d;
}

} // namespace

TEST_CASE("periodic stencils equal all pairs of neighbours on a torus") {
  const std::string size = ":nx=3,ny=5,nz=4,boundary=periodic",
                    flat = ":nx=4,ny=3,boundary=periodic";
  CHECK(pattern(make("stencil5" + flat)) == torus(4, 3, 1, true));
  CHECK(pattern(make("stencil9" + flat)) == torus(4, 3, 1, false));
  CHECK(pattern(make("stencil7" + size)) == torus(3, 5, 4, true));
  CHECK(pattern(make("stencil27" + size)) == torus(3, 5, 4, false));
  CHECK(wellFormed(make("stencil27" + size)));
}

TEST_CASE("rows of a periodic stencil are equally long and sum to 0") {
  const Dense d = dense(make("stencil7:n=6,boundary=periodic"));
  for (const std::vector<double> &row : d)
    CHECK(std::accumulate(row.begin(), row.end(), 0.0) == 0);
  const CsrMatrix a = make("stencil27:n=30,boundary=periodic,coef=random");
  CHECK(a.nnz() == 27 * 27000);
  CHECK(longestRow(a) == 27);
  CHECK(mirrored(a) == a.nnz());
  CHECK(wellFormed(a));
}

TEST_CASE("boundary=open is what a stencil is without the key") {
  for (const std::string name : {"stencil5", "stencil9", "stencil7", "stencil27"})
    CHECK(equal(make(name), make(name + ":boundary=open")));
}

TEST_CASE("coupled without missing entries has full blocks where the stencil has entries") {
  const std::string size = "nx=4,ny=3,nz=2";
  CHECK(pattern(make("coupled:missing=0,b=3," + size)) ==
        expanded(pattern(make("stencil7:" + size)), 3));
  CHECK(pattern(make("coupled:missing=0,b=2,stencil=27," + size)) ==
        expanded(pattern(make("stencil27:" + size)), 2));
  CHECK(pattern(make("coupled:missing=0,b=1,stencil=27,n=5,nz=1")) ==
        pattern(make("stencil9:n=5")));
}

TEST_CASE("coupled misses its share of the entries, but never the diagonal") {
  const CsrMatrix full = make("coupled:n=12,missing=0"), a = make("coupled:n=12,missing=0.3");
  CHECK(wellFormed(a));
  CHECK(a.rows == 4 * 12 * 12 * 12);
  CHECK(onDiagonal(a) == a.rows);
  CHECK(double(a.nnz() - a.rows) / double(full.nnz() - full.rows) ==
        doctest::Approx(0.7).epsilon(0.01));
  for (int64_t row = 0; row < a.rows; ++row)
    for (int32_t e = a.rowPtr[size_t(row)]; e < a.rowPtr[size_t(row) + 1]; ++e)
      REQUIRE(hasEntry(full, row, a.col[size_t(e)]));
  CHECK(samePattern(make("coupled:n=2,missing=1"), make("diagonal:n=32")));
}

TEST_CASE("dg has full blocks for elements that share a face") {
  for (const int n : {1, 2, 3}) {
    const std::string cells = "dg:n=" + std::to_string(n);
    CHECK(pattern(make(cells + ",dim=2,b=3")) == expanded(facing(n, 2), 3));
    CHECK(pattern(make(cells + ",dim=3,b=2")) == expanded(facing(n, 3), 2));
  }
}

TEST_CASE("dg has the entries that the count of faces gives") {
  for (const int64_t n : {1, 5, 12}) { // all faces from both sides, less those of the boundary
    const std::string cells = "dg:b=4,n=" + std::to_string(n);
    const CsrMatrix flat = make(cells + ",dim=2"), solid = make(cells);
    CHECK(flat.nnz() == 16 * (4 * 2 * n * n - 4 * n));
    CHECK(solid.nnz() == 16 * (5 * 6 * n * n * n - 12 * n * n));
    CHECK(mirrored(solid) == solid.nnz());
    CHECK(wellFormed(solid));
  }
}
