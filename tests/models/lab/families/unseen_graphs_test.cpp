// Tests of the unseen families that are random: graphs, points in space, factors and tables, by
// serial drawings and statistics.
#include "tests/models/lab/families/families_testing.h"

#include <doctest/doctest.h>

#include <array>
#include <set>
#include <span>

using namespace familytest;

namespace {

using Place = std::array<int64_t, 3>;

// Draws the points of knn and molecule: a cell for each, then its place in the cell in the order of
// the numbers.
std::vector<Place> pointsInCells(int64_t count, int64_t side, uint64_t seed) {
  std::vector<int64_t> cells;
  for (int64_t point = 0; point < count; ++point)
    cells.push_back(
        int64_t(rowStream(seed, 0, uint64_t(point)).below(uint64_t(side * side * side))));
  std::sort(cells.begin(), cells.end());
  std::vector<Place> places;
  for (const int64_t cell : cells) {
    const uint64_t bits = rowStream(seed, 1, places.size()).next();
    places.push_back({cell % side * 65536 + int64_t(bits & 65535),
                      cell / side % side * 65536 + int64_t(bits >> 16 & 65535),
                      cell / side / side * 65536 + int64_t(bits >> 32 & 65535)});
  }
  return places;
}

int64_t squaredDistance(const Place &a, const Place &b) {
  int64_t sum = 0;
  for (size_t axis = 0; axis < 3; ++axis)
    sum += (a[axis] - b[axis]) * (a[axis] - b[axis]);
  return sum;
}

std::vector<int64_t> sortedLengths(const CsrMatrix &a) {
  std::vector<int64_t> lengths;
  for (int64_t row = 0; row < a.rows; ++row)
    lengths.push_back(lengthOf(a, row));
  std::sort(lengths.begin(), lengths.end());
  return lengths;
}

std::span<const int32_t> columnsOf(const CsrMatrix &a, int64_t row) {
  return {a.col.data() + a.rowPtr[size_t(row)], size_t(lengthOf(a, row))};
}

using Edges = std::set<std::pair<int64_t, int64_t>>;

} // namespace

TEST_CASE("knn has the nearest of all points, by comparing all pairs") {
  for (const auto &[k, side] : {std::pair(9, 4), std::pair(40, 2)}) { // 6 and 27 points in a cell
    const std::vector<Place> at = pointsInCells(400, side, 3);
    const CsrMatrix a = make("knn:rows=400,seed=3,k=" + std::to_string(k));
    REQUIRE(a.nnz() == 400 * k);
    for (size_t row = 0; row < at.size(); ++row) {
      std::vector<std::pair<int64_t, int32_t>> others;
      for (size_t other = 0; other < at.size(); ++other)
        if (other != row)
          others.emplace_back(squaredDistance(at[row], at[other]), int32_t(other));
      std::sort(others.begin(), others.end());
      std::vector<int32_t> nearest;
      nearest.reserve(size_t(k));
      for (int i = 0; i < k; ++i)
        nearest.push_back(others[size_t(i)].second);
      std::sort(nearest.begin(), nearest.end());
      CHECK(std::equal(nearest.begin(), nearest.end(), a.col.begin() + int64_t(row) * k));
    }
  }
}

TEST_CASE("knn is not symmetric, has no diagonal, and may have all points or none") {
  const CsrMatrix a = make("knn:rows=5000");
  CHECK(wellFormed(a));
  CHECK(onDiagonal(a) == 0);
  CHECK(double(mirrored(a)) / double(a.nnz()) > 0.6);
  CHECK(double(mirrored(a)) / double(a.nnz()) < 0.95);
  CHECK(make("knn:rows=1").nnz() == 0);
  CHECK(make("knn:rows=50,k=0").nnz() == 0);
  CHECK(make("knn:rows=9,k=8").nnz() == 72);
  CHECK(make("knn:rows=257,k=256").nnz() == 257 * 256);
}

TEST_CASE("molecule has full blocks of 4 to 28 rows for atoms within the cut-off") {
  const CsrMatrix a = make("molecule:atoms=300,near=20,seed=5");
  REQUIRE(wellFormed(a));
  CHECK(mirrored(a) == a.nnz());
  CHECK(onDiagonal(a) == a.rows);
  // 300 points with 20 / (4/3 pi) in a cell fill 3 cells along a side.
  const std::vector<Place> at = pointsInCells(300, 3, 5);
  std::vector<int64_t> first{0};
  for (int64_t atom = 0; atom < 300; ++atom)
    first.push_back(first.back() + 4 + int64_t(rowStream(5, 0, uint64_t(-1 - atom)).below(25)));
  REQUIRE(a.rows == first.back());
  for (size_t atom = 0; atom < 300; ++atom)
    for (int64_t row = first[atom]; row < first[atom + 1]; ++row) {
      std::vector<int32_t> expected;
      for (size_t other = 0; other < 300; ++other)
        if (squaredDistance(at[atom], at[other]) <= int64_t{65536} * 65536)
          for (int64_t col = first[other]; col < first[other + 1]; ++col)
            expected.push_back(int32_t(col));
      const auto columns = columnsOf(a, row);
      CHECK(std::equal(columns.begin(), columns.end(), expected.begin(), expected.end()));
    }
}

TEST_CASE("inner atoms have as many neighbours as were asked for") {
  const CsrMatrix a = make("molecule:atoms=6000,near=8");
  const double perRow = double(a.nnz()) / double(a.rows);
  CHECK(double(a.rows) / 6000 == doctest::Approx(16).epsilon(0.02));
  CHECK(perRow < 16 * 9 * 1.1); // blocks are counted once for each of their rows
  CHECK(perRow > 16 * 9 * 0.8); // atoms at the surface have fewer
  CHECK(make("molecule:atoms=1").nnz() >= 16);
}

TEST_CASE("prefer equals a serial drawing from the list of all ends") {
  for (const uint64_t m : {1, 3}) {
    std::vector<uint64_t> ends;
    Edges edges;
    for (uint64_t edge = 0; edge < 200 * m; ++edge) {
      ends.push_back(edge / m);
      ends.push_back(ends[rowStream(7, 1, edge).below(2 * edge + 1)]);
      if (const auto newer = int64_t(ends[2 * edge]), older = int64_t(ends.back());
          newer != older) {
        edges.emplace(newer, older);
        edges.emplace(older, newer);
      }
    }
    const std::string spec = "prefer:rows=200,seed=7,m=" + std::to_string(m);
    const CsrMatrix byAge = make(spec + ",order=age"), shuffled = make(spec);
    REQUIRE(byAge.nnz() == int64_t(edges.size()));
    for (const auto &[row, col] : edges)
      CHECK(hasEntry(byAge, row, col));
    CHECK_FALSE(samePattern(byAge, shuffled));
    CHECK(sortedLengths(byAge) == sortedLengths(shuffled));
    CHECK(mirrored(shuffled) == shuffled.nnz());
  }
  CHECK(make("prefer:m=0").nnz() == 0);
  CHECK(make("prefer:rows=1").nnz() == 0);
}

TEST_CASE("old nodes are joined to very many others") {
  const CsrMatrix a = make("prefer:rows=40000,m=4,order=age");
  CHECK(wellFormed(a));
  CHECK(double(a.nnz()) / 40000 == doctest::Approx(8).epsilon(0.02));
  // The i-th node's degree is near m sqrt(n / i).
  CHECK(longestRow(a) > 300);
  double late = 0;
  for (int64_t row = 30000; row < 40000; ++row)
    late += double(lengthOf(a, row)) / 10000;
  CHECK(late < 6);
}

TEST_CASE("kron has the degrees of a serial drawing, and another numbering") {
  const int initiator[] = {42, 15, 6, 15, 6, 2, 6, 2, 6};
  Edges edges;
  for (uint64_t number = 0; number < 5 * 81; ++number) {
    Splitmix random = rowStream(2, 1, number);
    int64_t row = 0, col = 0;
    for (int level = 0; level < 4; ++level) {
      int part = 0, sum = initiator[0];
      for (const int draw = int(random.below(100)); draw >= sum;)
        sum += initiator[++part];
      row = 3 * row + part / 3;
      col = 3 * col + part % 3;
    }
    edges.emplace(row, col);
    edges.emplace(col, row);
  }
  std::vector<int64_t> degrees(81);
  for (const auto &[row, col] : edges)
    ++degrees[size_t(row)];
  const std::vector<int64_t> byNumber = degrees;
  std::sort(degrees.begin(), degrees.end());
  const CsrMatrix a = make("kron:scale=4,edge=5,seed=2");
  CHECK(wellFormed(a));
  CHECK(mirrored(a) == a.nnz());
  CHECK(a.nnz() == int64_t(edges.size()));
  CHECK(sortedLengths(a) == degrees);
  std::vector<int64_t> numbered;
  for (int64_t row = 0; row < a.rows; ++row)
    numbered.push_back(lengthOf(a, row));
  CHECK(numbered != byNumber);
  CHECK(make("kron:scale=2,edge=0").nnz() == 0);
}

TEST_CASE("road has a symmetric pattern of at most four neighbours in a plane") {
  const CsrMatrix a = make("road:rows=9990"), b = make("road:rows=9990,order=random");
  CHECK(wellFormed(a));
  CHECK(wellFormed(b));
  CHECK(mirrored(a) == a.nnz());
  CHECK(onDiagonal(a) == 0);
  CHECK(longestRow(a) == 4);
  CHECK(double(a.nnz()) / 9990 == doctest::Approx(4 * 0.7).epsilon(0.03));
  CHECK(sortedLengths(a) == sortedLengths(b));
  CHECK(bandwidth(a) < 400);
  CHECK(bandwidth(b) > 9000);
  CHECK(make("road:rows=30,missing=1").nnz() == 0);
  const CsrMatrix all = make("road:rows=16,missing=0"); // 4 x 4 crossings
  CHECK(all.nnz() == 2 * 24);
  CHECK(make("road:rows=1").nnz() == 0);
  CHECK(make("road:rows=2,missing=0").col == std::vector<int32_t>{1, 0});
}

TEST_CASE("factor is lower triangular, of supernodes, and its rows grow") {
  const CsrMatrix a = make("factor:rows=6000,width=5,fill=8,band=90");
  REQUIRE(wellFormed(a));
  int64_t first = 0, width = 0, widest = 0; // the supernode of the row
  for (int64_t row = 0; row < a.rows; ++row) {
    const auto columns = columnsOf(a, row);
    REQUIRE(columns.back() == row);
    // A row of the same supernode has the columns of the row before it, and its own.
    const bool isSame =
        row > 0 && lengthOf(a, row) == lengthOf(a, row - 1) + 1 &&
        std::equal(columns.begin(), columns.end() - 1, columnsOf(a, row - 1).begin());
    first = isSame ? first : row;
    width = row - first + 1;
    widest = std::max(widest, width);
  }
  CHECK(widest >= 9);
  CHECK(bandwidth(a) < 91 * 9);
  const auto meanOf = [&](int64_t begin, int64_t end) {
    return double(a.rowPtr[size_t(end)] - a.rowPtr[size_t(begin)]) / double(end - begin);
  };
  CHECK(meanOf(0, 6000) == doctest::Approx(8 * 5 + 3.7).epsilon(0.08));
  CHECK(meanOf(4500, 6000) > 4 * meanOf(0, 1500));
  const CsrMatrix own = make("factor:rows=300,fill=0,width=4");
  CHECK(bandwidth(own) == 6); // 7 columns at most
  CHECK(make("factor:width=1,fill=0").nnz() == 1000);
  CHECK(wellFormed(make("factor:rows=1")));
  CHECK(wellFormed(make("factor:rows=900,width=1,fill=256,band=700")));
}

TEST_CASE("genes and text have log-normal lengths with the mean that was asked for") {
  for (const auto &[spec, avg, sigma] :
       {std::tuple("genes:rows=4000,avg=120", 120.0, 0.6),
        std::tuple("text:rows=4000,avg=60,sigma=1.1", 60.0, 1.1)}) {
    const CsrMatrix a = make(spec);
    CAPTURE(a.name);
    CHECK(wellFormed(a));
    CHECK(double(a.nnz()) / 4000 == doctest::Approx(avg).epsilon(0.06));
    const std::vector<int64_t> lengths = sortedLengths(a);
    const double median = avg / std::exp(sigma * sigma / 2);
    CHECK(double(lengths[2000]) == doctest::Approx(median).epsilon(0.06));
    CHECK(double(lengths[3365]) == doctest::Approx(median * std::exp(sigma)).epsilon(0.08));
    CHECK(double(lengths[635]) == doctest::Approx(median / std::exp(sigma)).epsilon(0.08));
  }
  const CsrMatrix equal = make("text:rows=50,cols=90,avg=30,sigma=0");
  CHECK(equal.nnz() == 1500);
  CHECK(longestRow(equal) == 30);
  const CsrMatrix full = make("text:rows=200,cols=20,avg=20,sigma=3");
  CHECK(wellFormed(full));
  CHECK(longestRow(full) == 20);
  CHECK(make("genes:rows=4,avg=0").nnz() == 0);
}

TEST_CASE("a quarter of the genes has half of the entries, and few words have most of theirs") {
  const auto shareOf = [](const CsrMatrix &a, int64_t columns) {
    std::vector<int64_t> count(size_t(a.cols));
    for (const int32_t col : a.col)
      ++count[size_t(col)];
    std::sort(count.rbegin(), count.rend());
    int64_t sum = 0;
    for (int64_t i = 0; i < columns; ++i)
      sum += count[size_t(i)];
    return double(sum) / double(a.nnz());
  };
  CHECK(shareOf(make("genes:rows=9000,cols=1000,avg=10"), 250) ==
        doctest::Approx(0.5).epsilon(0.03));
  CHECK(shareOf(make("text:rows=9000,cols=1023,avg=10"), 31) > 0.35);
}
