// Tests of the meshes and of the lattice: that a triangulation is one, that elasticity is the
// 27-point stencil in 3 x 3 blocks, and the Dirac operator from its gamma matrices.
#include "tests/models/families/families_testing.h"

#include <doctest/doctest.h>

#include <array>
#include <complex>

using namespace familytest;

namespace {

// Nodes - edges + triangles of a mesh: 1 where the triangles cover a disc without hole or overlap.
int64_t eulerNumber(const CsrMatrix &a) {
  int64_t edges = 0, triangles = 0;
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = i + 1; j < a.rows; ++j) {
      if (!hasEntry(a, i, j))
        continue;
      ++edges;
      for (int64_t k = j + 1; k < a.rows; ++k)
        triangles += hasEntry(a, i, k) && hasEntry(a, j, k);
    }
  return a.rows - edges + triangles;
}

std::map<int64_t, int64_t> countLengths(const CsrMatrix &a) {
  std::map<int64_t, int64_t> count;
  for (int64_t row = 0; row < a.rows; ++row)
    ++count[lengthOf(a, row)];
  return count;
}

using Gamma = std::array<std::array<std::complex<double>, 4>, 4>;

// Dirac's representation: gamma_k = [0, -i sigma_k; i sigma_k, 0], gamma_4 = diag(1, 1, -1, -1).
std::array<Gamma, 4> gammas() {
  const std::complex<double> i(0, 1);
  const std::array<std::array<std::array<std::complex<double>, 2>, 2>, 3> sigma = {
      {{{{0, 1}, {1, 0}}}, {{{0, -i}, {i, 0}}}, {{{1, 0}, {0, -1}}}}};
  std::array<Gamma, 4> g{};
  for (size_t k = 0; k < 3; ++k)
    for (size_t a = 0; a < 2; ++a)
      for (size_t b = 0; b < 2; ++b) {
        g[k][a][b + 2] = -i * sigma[k][a][b];
        g[k][a + 2][b] = i * sigma[k][a][b];
      }
  g[3] = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, -1, 0}, {0, 0, 0, -1}}};
  return g;
}

// The pattern of sum over directions of (1 - gamma) U forth + (1 + gamma) U back.
Dense hopping(int l) {
  const int sites = l * l * l * l;
  Dense d(size_t(sites) * 12, std::vector<double>(size_t(sites) * 12));
  for (int site = 0; site < sites; ++site)
    for (int axis = 0, stride = 1; axis < 4; ++axis, stride *= l)
      for (const int step : {1, -1}) {
        const int at = site / stride % l, other = site + ((at + step + l) % l - at) * stride;
        for (size_t s = 0; s < 4; ++s)
          for (size_t t = 0; t < 4; ++t) {
            const auto g = double(s == t) - double(step) * gammas()[size_t(axis)][s][t];
            for (size_t c = 0; c < 9 && std::abs(g) > 0; ++c)
              d[size_t(site) * 12 + 3 * s + c / 3][size_t(other) * 12 + 3 * t + c % 3] = 1;
          }
      }
  return d;
}

} // namespace

TEST_CASE("fem2d is a triangulation of a disc, whatever the number of nodes") {
  for (const int64_t rows : {1, 2, 3, 4, 5, 7, 9, 12, 13, 16, 17, 73, 100, 101, 110})
    for (const std::string order : {"natural", "random"}) {
      CAPTURE(rows);
      const CsrMatrix a = make("fem2d:rows=" + std::to_string(rows) + ",order=" + order);
      CHECK(a.rows == rows);
      CHECK(wellFormed(a));
      CHECK(eulerNumber(a) == 1);
      CHECK(onDiagonal(a) == rows);
    }
}

TEST_CASE("fem2d has 7 entries a row, 5 to 9 inside, and a symmetric pattern") {
  const CsrMatrix a = make("fem2d:rows=40000,seed=2");
  CHECK(double(a.nnz()) / 40000 == doctest::Approx(7).epsilon(0.01));
  CHECK(mirrored(a) == a.nnz());
  const std::map<int64_t, int64_t> count = countLengths(a);
  CHECK(count.rbegin()->first == 9);
  // Four coins a node: 1/16, 4/16, 6/16, 4/16, 1/16.
  CHECK(double(count.at(7)) / 40000 == doctest::Approx(6.0 / 16).epsilon(0.05));
  CHECK(double(count.at(9)) / 40000 == doctest::Approx(1.0 / 16).epsilon(0.1));
}

TEST_CASE("fem2d's orders number the same mesh: in a band, or anywhere") {
  const CsrMatrix natural = make("fem2d:rows=40000"),
                  random = make("fem2d:rows=40000,order=random");
  CHECK(natural.nnz() == random.nnz());
  CHECK(countLengths(natural) == countLengths(random));
  CHECK(bandwidth(natural) < 3 * 200);
  CHECK(bandwidth(random) > 35000);
}

TEST_CASE("elasticity has a full 3 x 3 block where stencil27 has an entry") {
  const CsrMatrix a = make("elasticity:nx=4,ny=3,nz=2");
  const Dense small = pattern(make("stencil27:nx=4,ny=3,nz=2")), large = pattern(a);
  REQUIRE(large.size() == 3 * small.size());
  bool same = true;
  for (size_t i = 0; i < large.size(); ++i)
    for (size_t j = 0; j < large.size(); ++j)
      same = same && large[i][j] == small[i / 3][j / 3];
  CHECK(same);
  CHECK(make("elasticity:n=35").nnz() == 9 * 103 * 103 * 103);
}

TEST_CASE("qcd is the pattern of Wilson's operator from its gamma matrices") {
  CHECK(pattern(make("qcd:l=3")) == hopping(3));
}

TEST_CASE("qcd:l=8 has the size and the symmetry of conf5_4-8x8") {
  const CsrMatrix a = make("qcd:l=8");
  CHECK(a.rows == 49152);
  CHECK(a.nnz() == 1916928);
  CHECK(wellFormed(a));
  CHECK(onDiagonal(a) == 0);
  CHECK(mirrored(a) == 36 * a.rows); // 0.923 of 39 a row
}
