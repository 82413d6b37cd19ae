// Tests of the meshes and of the lattice: that a triangulation is valid, that elasticity is the
// 27-point stencil in 3 x 3 blocks, and the Dirac operator from its gamma matrices.
#include "tests/models/lab/families/families_testing.h"

#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <set>

using namespace familytest;

namespace {

// The numbers of nodes, edges, triangles and tetrahedra: all sets of mutually coupled nodes.
std::array<int64_t, 4> countSimplices(const CsrMatrix &a) {
  std::array<int64_t, 4> count{a.rows};
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = i + 1; j < a.rows; ++j) {
      if (!hasEntry(a, i, j))
        continue;
      ++count[1];
      for (int64_t k = j + 1; k < a.rows; ++k) {
        if (!hasEntry(a, i, k) || !hasEntry(a, j, k))
          continue;
        ++count[2];
        for (int64_t l = k + 1; l < a.rows; ++l)
          count[3] += hasEntry(a, i, l) && hasEntry(a, j, l) && hasEntry(a, k, l);
      }
    }
  return count;
}

// 1 if the triangles or tetrahedra cover a disc or a ball without hole or overlap.
int64_t eulerNumber(const CsrMatrix &a) {
  const auto [nodes, edges, triangles, tetrahedra] = countSimplices(a);
  return nodes - edges + triangles - tetrahedra;
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

// The pattern of the sum over directions of (1 - gamma) U forth + (1 + gamma) U back.
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
  // Four coin tosses per node: 1/16, 4/16, 6/16, 4/16, 1/16.
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

TEST_CASE("fem3d without removed nodes fills its box with tetrahedra, six a cube") {
  for (const auto &[nx, ny, nz] : {std::array{1, 1, 1}, {2, 2, 2}, {4, 3, 2}, {3, 3, 4}}) {
    const std::string spec = "fem3d:removed=0,nx=" + std::to_string(nx) +
                             ",ny=" + std::to_string(ny) + ",nz=" + std::to_string(nz);
    CAPTURE(spec);
    const CsrMatrix a = make(spec);
    CHECK(a.rows == nx * ny * nz);
    CHECK(eulerNumber(a) == 1);
    CHECK(countSimplices(a)[3] == 6 * (nx - 1) * (ny - 1) * (nz - 1));
    CHECK(onDiagonal(a) == a.rows);
  }
  CHECK(longestRow(make("fem3d:removed=0")) == 15);
}

TEST_CASE("fem3d removes the nodes that were asked for, and their entries in other rows") {
  const CsrMatrix a = make("fem3d:n=40,removed=0.2"), whole = make("fem3d:n=40,removed=0");
  CHECK(wellFormed(a));
  CHECK(a.rows == 64000 - 12800);
  CHECK(mirrored(a) == a.nnz());
  CHECK(onDiagonal(a) == a.rows);
  // An entry off the diagonal remains with probability 0.8 x 0.8.
  CHECK(double(a.nnz() - a.rows) / double(whole.nnz() - whole.rows) ==
        doctest::Approx(0.64).epsilon(0.01));
  CHECK(make("fem3d:n=1,removed=0.99").nnz() == 1);
  CHECK(make("fem3d:n=2,removed=0.99").nnz() == 1);
}

TEST_CASE("fem3d's orders number the same mesh") {
  const std::string spec = "fem3d:n=20,nz=9,removed=0.6,order="; // has parts that are apart
  const CsrMatrix natural = make(spec + "natural"), random = make(spec + "random"),
                  cuthill = make(spec + "cuthill");
  for (const CsrMatrix *a : {&random, &cuthill}) {
    CHECK(wellFormed(*a));
    CHECK(a->nnz() == natural.nnz());
    CHECK(mirrored(*a) == a->nnz());
    CHECK(countLengths(*a) == countLengths(natural));
  }
  CHECK(bandwidth(random) > 1300); // of 1,440 rows
  CHECK(bandwidth(natural) < 250);
  CHECK(bandwidth(cuthill) < 250);
}

TEST_CASE("elasticity of so many materials has 27 different blocks of each") {
  const CsrMatrix a = make("elasticity:nx=4,ny=3,nz=5,materials=2");
  std::set<std::vector<double>> blocks;
  for (int64_t row = 0; row < a.rows; row += 3)
    for (int64_t e = a.rowPtr[row]; e < a.rowPtr[row + 1]; e += 3) {
      std::vector<double> block;
      for (int64_t i = 0; i < 3; ++i) {
        const auto from = a.val.begin() + a.rowPtr[row + i] + e - a.rowPtr[row];
        block.insert(block.end(), from, from + 3);
      }
      blocks.insert(std::move(block));
    }
  CHECK(blocks.size() == 2 * 27);
  CHECK(a.col == make("elasticity:nx=4,ny=3,nz=5").col);
  CHECK(make("elasticity:n=3,materials=0").val == make("elasticity:n=3").val);
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
