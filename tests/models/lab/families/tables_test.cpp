// Tests of the families whose columns or rows differ in their number of entries: skewed popularity,
// lengths of every magnitude, empty rows, full rows.
#include "tests/models/lab/families/families_testing.h"

#include <doctest/doctest.h>

#include <array>
#include <numeric>

using namespace familytest;

namespace {

// The number of entries of each column, the most popular first.
std::vector<int64_t> popularity(const CsrMatrix &a) {
  std::vector<int64_t> count(size_t(a.cols));
  for (const int32_t col : a.col)
    ++count[size_t(col)];
  std::sort(count.rbegin(), count.rend());
  return count;
}

// The number of entries that are at most `half` columns from the diagonal.
int64_t countNear(const CsrMatrix &a, int64_t half) {
  int64_t near = 0;
  for (int64_t row = 0; row < a.rows; ++row)
    for (int32_t e = a.rowPtr[size_t(row)]; e < a.rowPtr[size_t(row) + 1]; ++e)
      near += distance(row, a.col[size_t(e)]) <= half;
  return near;
}

} // namespace

TEST_CASE("each octave of the features' ranks is as popular as any other") {
  const CsrMatrix a = make("features:k=1,spread=0,rows=40000,cols=1023");
  const std::vector<int64_t> count = popularity(a);
  for (size_t octave = 0; octave < 10; ++octave) { // 4,000 expected; sorting moves few
    const auto first = count.begin() + (1 << octave) - 1;
    CHECK(distance(std::accumulate(first, first + (1 << octave), int64_t{0}), 4000) < 360);
  }
}

TEST_CASE("features have their lengths, and few of them most entries") {
  const CsrMatrix a = make("features:rows=20000");
  CHECK(wellFormed(a));
  CHECK(double(a.nnz()) / 20000 == doctest::Approx(30).epsilon(0.01));
  CHECK(longestRow(a) == 45);
  const std::vector<int64_t> count = popularity(a);
  CHECK(count[0] > 16000);
  CHECK(std::accumulate(count.begin(), count.begin() + 200, int64_t{0}) > a.nnz() / 3);
  CHECK(count[10000] < 60);
  // Popular columns are not neighbours.
  CHECK(countNear(make("features:rows=1000,cols=1000,k=5"), 10) < 300);
  CHECK(make("features:rows=3,cols=20,k=20,spread=0").nnz() == 60);
  CHECK(make("features:rows=3,cols=1,k=1,spread=0").nnz() == 3);
  CHECK(wellFormed(make("features:rows=1")));
}

TEST_CASE("web has power-law rows, most of them near, and popular pages elsewhere") {
  const CsrMatrix a = make("web:rows=50000,avg=16,max=3000");
  CHECK(wellFormed(a));
  CHECK(double(a.nnz()) / 50000 == doctest::Approx(16).epsilon(0.02));
  CHECK(longestRow(a) <= 3000);
  CHECK(longestRow(a) > 1000);
  // 0.75, less the entries of rows longer than 200, whose hosts are larger.
  const double near = double(countNear(a, 200)) / double(a.nnz());
  CHECK(near > 0.6);
  CHECK(near < 0.78);
  CHECK(popularity(a)[0] > 5000); // 3.5 of 4 far links by 16 octaves: a row in five has the first
  CHECK(popularity(make("web:rows=50000,near=1"))[0] < 1000);
  CHECK(countNear(make("web:rows=50000,near=0"), 200) < 16 * 50000 / 50);
  CHECK(wellFormed(make("web:rows=1,avg=1")));
  CHECK(wellFormed(make("web:rows=300,cols=20,avg=15,near=0.5")));
}

TEST_CASE("widetable's lengths have every magnitude equally often") {
  const CsrMatrix a = make("widetable:rows=4000,cols=30000,least=2,most=2000");
  CHECK(wellFormed(a));
  CHECK(longestRow(a) <= 2000);
  std::array<int64_t, 3> decades{};
  for (int64_t row = 0; row < a.rows; ++row) {
    const int64_t length = lengthOf(a, row);
    CHECK(length >= 2);
    ++decades[length < 20 ? 0 : length < 200 ? 1 : 2];
  }
  for (const int64_t rows : decades) // 1,333 expected; 6 standard deviations
    CHECK(distance(rows, 1333) < 180);
  CHECK(make("widetable:rows=5,cols=7,least=7").nnz() == 35);
  CHECK(wellFormed(make("widetable:rows=1,cols=4")));
}

TEST_CASE("hypersparse has k entries in a share of its rows and none in the others") {
  const CsrMatrix a = make("hypersparse:rows=60000,filled=0.1,k=4");
  CHECK(wellFormed(a));
  std::map<int64_t, int64_t> count;
  for (int64_t row = 0; row < a.rows; ++row)
    ++count[lengthOf(a, row)];
  CHECK(count.size() == 2);
  CHECK(distance(count[4], 6000) < 450); // 6 standard deviations
  CHECK(bandwidth(a) > 50000);
  const CsrMatrix local = make("hypersparse:rows=60000,filled=0.1,k=4,half=30");
  CHECK(wellFormed(local));
  CHECK(bandwidth(local) == 30);
  CHECK(make("hypersparse:filled=0").nnz() == 0);
  CHECK(make("hypersparse:n=4,filled=1,k=3,half=1").col ==
        std::vector<int32_t>{0, 1, 0, 1, 2, 1, 2, 3, 2, 3});
}

TEST_CASE("arrow has a full band and full rows and columns at its end") {
  for (const auto &[rows, half, full] :
       {std::array{1, 1, 0}, {1, 0, 1}, {9, 0, 3}, {12, 2, 3}, {8, 1, 0}, {5, 100, 2}, {4, 1, 4}}) {
    const std::string spec = "arrow:rows=" + std::to_string(rows) +
                             ",half=" + std::to_string(half) + ",full=" + std::to_string(full);
    CAPTURE(spec);
    const CsrMatrix a = make(spec);
    CHECK(wellFormed(a));
    for (int row = 0; row < rows; ++row)
      for (int col = 0; col < rows; ++col)
        CHECK(hasEntry(a, row, col) ==
              (std::abs(row - col) <= half || std::max(row, col) >= rows - full));
  }
  CHECK(make("arrow:rows=2").nnz() == 4); // three full rows by default, or as many as there are
}
