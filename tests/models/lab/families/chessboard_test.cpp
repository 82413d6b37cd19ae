// Tests of the chessboard complex: small boards by brute force, the collection's counts, and that
// the boundary of a boundary is zero.
#include "tests/models/lab/families/families_testing.h"

#include <doctest/doctest.h>

using namespace familytest;

namespace {

using Rooks = std::vector<std::pair<int, int>>; // board row and column, by ascending row

// All placements among the subsets of the board's squares, numbered by their rows, then by their
// columns.
std::vector<Rooks> placements(int m, int n, size_t rooks) {
  std::vector<Rooks> found;
  for (unsigned subset = 0; subset < 1U << (m * n); ++subset) {
    Rooks placed;
    for (int square = 0; square < m * n; ++square)
      if (subset >> square & 1)
        placed.emplace_back(square / n, square % n);
    bool attacks = placed.size() != rooks;
    for (size_t i = 0; i < placed.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        attacks =
            attacks || placed[i].first == placed[j].first || placed[i].second == placed[j].second;
    if (!attacks)
      found.push_back(placed);
  }
  std::sort(found.begin(), found.end(), [](const Rooks &a, const Rooks &b) {
    std::pair<std::vector<int>, std::vector<int>> keyA, keyB;
    for (const auto &[row, col] : a)
      keyA.first.push_back(row), keyA.second.push_back(col);
    for (const auto &[row, col] : b)
      keyB.first.push_back(row), keyB.second.push_back(col);
    return keyA < keyB;
  });
  return found;
}

std::vector<std::vector<double>> boundary(int m, int n, size_t k) {
  const std::vector<Rooks> faces = placements(m, n, k + 1), sides = placements(m, n, k);
  std::vector<std::vector<double>> d(faces.size(), std::vector<double>(sides.size()));
  for (size_t f = 0; f < faces.size(); ++f)
    for (size_t rook = 0; rook <= k; ++rook) {
      Rooks side = faces[f];
      side.erase(side.begin() + static_cast<ptrdiff_t>(rook));
      const auto at = std::find(sides.begin(), sides.end(), side) - sides.begin();
      d[f][static_cast<size_t>(at)] = rook % 2 == 0 ? 1 : -1;
    }
  return d;
}

// The number of nonzero entries of a b.
int64_t nonzerosOfProduct(const CsrMatrix &a, const CsrMatrix &b) {
  int64_t nonzeros = 0;
  for (size_t row = 0; row < static_cast<size_t>(a.rows); ++row) {
    std::map<int32_t, double> sum;
    for (auto e = static_cast<size_t>(a.rowPtr[row]); e < static_cast<size_t>(a.rowPtr[row + 1]);
         ++e) {
      const auto middle = static_cast<size_t>(a.col[e]);
      for (auto f = static_cast<size_t>(b.rowPtr[middle]);
           f < static_cast<size_t>(b.rowPtr[middle + 1]); ++f)
        sum[b.col[f]] += a.val[e] * b.val[f];
    }
    nonzeros += std::count_if(sum.begin(), sum.end(), [](auto &s) { return s.second != 0; });
  }
  return nonzeros;
}

bool ascending(const CsrMatrix &a, int32_t length) {
  for (size_t e = 0; e < a.col.size(); ++e)
    if (a.col[e] >= a.cols || (e % static_cast<size_t>(length) != 0 && a.col[e] <= a.col[e - 1]))
      return false;
  return true;
}

} // namespace

TEST_CASE("small chessboards equal the boundary found among all subsets of squares") {
  CHECK(dense(make("chessboard:m=3,n=4,k=1")) == boundary(3, 4, 1));
  CHECK(dense(make("chessboard:m=3,n=4,k=2")) == boundary(3, 4, 2));
  CHECK(dense(make("chessboard:m=4,n=3,k=2")) == boundary(4, 3, 2));
  CHECK(dense(make("chessboard:m=4,n=4,k=3")) == boundary(4, 4, 3));
}

TEST_CASE("the boundary of a boundary is zero") {
  for (const std::string board : {"chessboard:m=5,n=6,k=", "chessboard:m=7,n=4,k="})
    for (int k = 2; k < 4; ++k) {
      const CsrMatrix a = make(board + std::to_string(k)), b = make(board + std::to_string(k - 1));
      REQUIRE(a.cols == b.rows);
      CHECK(nonzerosOfProduct(a, b) == 0);
      CHECK(nonzerosOfProduct(b, make("diagonal:n=" + std::to_string(b.cols))) == b.nnz());
    }
}

TEST_CASE("ch7-8-b5 and ch8-8-b5 have the collection's size") {
  const CsrMatrix a = make("chessboard:m=7,n=8,k=5");
  CHECK(a.rows == 141120);
  CHECK(a.cols == 141120);
  CHECK(a.nnz() == 846720);
  CHECK(ascending(a, 6));
  const CsrMatrix b = make("chessboard:m=8,n=8,k=5");
  CHECK(b.rows == 564480);
  CHECK(b.cols == 376320);
  CHECK(b.nnz() == 3386880);
  CHECK(ascending(b, 6));
}
