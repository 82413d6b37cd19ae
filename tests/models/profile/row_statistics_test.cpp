// Tests of the row-length statistics and fractiles: by hand, and against sums over a list of rows.
#include "tests/models/length_counts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace specmv;

namespace {

SparsityProfile profileOfLengths(std::vector<LengthCount> lengths) {
  SparsityProfile p;
  p.lengths = std::move(lengths);
  for (const LengthCount &l : p.lengths) {
    p.rows += l.rows;
    p.nnz += l.rows * l.length;
  }
  return p;
}

} // namespace

TEST_CASE("row statistics: of rows 1 2 2 5, by hand") {
  SparsityProfile p = profileOfLengths({{1, 1}, {2, 2}, {5, 1}});
  p.distSum = 7;
  RowStatistics r = rowStatistics(p);
  CHECK(r.mean == 2.5);
  CHECK(r.variance == 2.25); // (2.25 + 0.25 + 0.25 + 6.25) / 4
  CHECK(r.std == 1.5);
  CHECK(r.skewness == doctest::Approx(3 / 3.375)); // (-3.375 - 2 x 0.125 + 15.625) / 4 / 1.5^3
  CHECK(r.min == 1);
  CHECK(r.max == 5);
  CHECK(r.mode == 2);
  CHECK(r.emptyRows == 0);
  CHECK(r.distavg == 1.75);
}

TEST_CASE("row statistics: empty rows count") {
  RowStatistics r = rowStatistics(profileOfLengths({{0, 1}, {1, 2}, {3, 4}, {40, 1}, {300, 1}}));
  CHECK(r.mean == doctest::Approx(354.0 / 9));
  CHECK(r.variance == doctest::Approx(8634.8888888888887));
  CHECK(r.std == doctest::Approx(92.924102841452765));
  CHECK(r.skewness == doctest::Approx(2.4020178233627623));
  CHECK(r.min == 0);
  CHECK(r.max == 300);
  CHECK(r.mode == 3);
  CHECK(r.emptyRows == 1);
}

TEST_CASE("row statistics: the mode is the smallest of the most frequent lengths") {
  CHECK(rowStatistics(profileOfLengths({{2, 1}, {4, 3}, {9, 3}, {11, 2}})).mode == 4);
}

TEST_CASE("row statistics: a matrix of no rows, of one entry and of empty rows only") {
  RowStatistics none = rowStatistics(profileOfLengths({}));
  CHECK(none.mean == 0);
  CHECK(none.distavg == 0);
  RowStatistics one = rowStatistics(profileOfLengths({{1, 1}}));
  CHECK(one.mean == 1);
  CHECK(one.std == 0);
  CHECK(one.skewness == 0);
  CHECK(one.emptyRows == 0);
  RowStatistics empty = rowStatistics(profileOfLengths({{0, 6}}));
  CHECK(empty.mean == 0);
  CHECK(empty.mode == 0);
  CHECK(empty.skewness == 0);
  CHECK(empty.emptyRows == 6);
}

TEST_CASE("row statistics: long rows of one length do not spread, whatever the rounding") {
  // 9 x 10^18 entries: the sum is not representable as a double, so the quotient may differ from
  // the length.
  RowStatistics r = rowStatistics(profileOfLengths({{3'000'000'001, 3'000'000'007}}));
  CHECK(r.mean == doctest::Approx(3e9));
  CHECK(r.variance == 0);
  CHECK(r.std == 0);
  CHECK(r.skewness == 0);
}

TEST_CASE("row statistics: one dense row of a million") {
  // Two lengths d apart, the longer with probability p: variance d^2 p (1 - p), skewness
  // (1 - 2p) / sqrt(p (1 - p)).
  constexpr double kRows = 1'000'001, kP = 1 / kRows, kD = 999'999;
  RowStatistics r = rowStatistics(profileOfLengths({{1, 1'000'000}, {1'000'000, 1}}));
  CHECK(r.variance == doctest::Approx(kD * kD * kP * (1 - kP)).epsilon(1e-12));
  CHECK(r.skewness == doctest::Approx((1 - 2 * kP) / std::sqrt(kP * (1 - kP))).epsilon(1e-9));
}

TEST_CASE("fractiles: by hand") {
  CHECK(fractiles({{1, 1}, {2, 2}, {5, 1}}, 4) == std::vector<Count>{1, 2, 2, 5});
  CHECK(fractiles({{0, 1}, {10, 1}}, 2) == std::vector<Count>{0, 10});  // P(X <= 0) = 1/2
  CHECK(fractiles({{0, 1}, {10, 2}}, 2) == std::vector<Count>{10, 10}); // P(X <= 0) = 1/3
  CHECK(fractiles({{7, 1}}, 3) == std::vector<Count>{7, 7, 7});
  CHECK(fractiles({}, 3) == std::vector<Count>{0, 0, 0});
  CHECK(fractiles({{7, 1}}, 0).empty());
}

TEST_CASE("fractiles: the first length that reaches i/W, and the last is the maximum") {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<Count> rows(1 + random() % 100);
    for (Count &x : rows)
      x = static_cast<Count>(random() % 40);
    const std::vector<LengthCount> lengths = lengthCounts(rows);

    std::sort(rows.begin(), rows.end());
    std::vector<Count> a = fractiles(lengths, 32);
    REQUIRE(a.size() == 32);
    CHECK(a.back() == rows.back());
    for (size_t i = 1; i <= 32; ++i) // the ceil(i N / 32)-th of the sorted rows
      CHECK(a[i - 1] == rows[(i * rows.size() + 31) / 32 - 1]);
  }
}
