// Tests of the families on grids: the torus by brute force.
#include "tests/models/families/families_testing.h"

#include <doctest/doctest.h>

#include <numeric>

using namespace familytest;

namespace {

// Every pair of points of a torus that are neighbours, by their shortest distances along the axes.
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
