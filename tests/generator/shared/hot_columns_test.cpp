// Tests of the counts of columns by their entries, and of the hottest columns that follow from
// them, against a count by sorting.
#include "models/profile/column_degrees.h"

#include "generator/shared/open_rows.h"
#include "models/lab/families/families.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

using namespace specmv;

namespace {

// A matrix of one row for each entry, so that columns have any number of entries.
CsrMatrix withDegrees(const std::vector<int64_t> &degrees) {
  CsrMatrix a;
  a.cols = std::ssize(degrees);
  for (size_t c = 0; c < degrees.size(); ++c)
    a.col.insert(a.col.end(), static_cast<size_t>(degrees[c]), static_cast<int32_t>(c));
  std::shuffle(a.col.begin(), a.col.end(), std::mt19937_64(7));
  a.rows = a.nnz();
  for (int32_t row = 1; row <= a.rows; ++row)
    a.rowPtr.push_back(row);
  return a;
}

std::vector<int64_t> degreesIn(const CsrMatrix &a) {
  std::vector<int64_t> out(static_cast<size_t>(a.cols));
  for (const int32_t c : a.col)
    ++out[static_cast<size_t>(c)];
  return out;
}

void checkCounts(const CsrMatrix &a) {
  const ColumnDegrees counted = columnDegrees(a.view());
  std::map<int64_t, int64_t> expected;
  for (const int64_t degree : degreesIn(a))
    ++expected[std::min<int64_t>(degree, kMostCountedDegree)];
  CHECK(counted.cols == a.cols);
  CHECK(counted.nnz == a.nnz());
  REQUIRE(counted.degrees.size() == expected.size());
  size_t i = 0;
  for (const auto &[degree, columns] : expected)
    CHECK(counted.degrees[i++] == DegreeCount{degree, columns});
}

// Compares with the columns that the format keeps, and their entries.
void checkHottest(const CsrMatrix &a, int64_t most) {
  CAPTURE(most);
  const std::vector<int64_t> degrees = degreesIn(a), kept = hottestColumns(a.view(), most);
  const HotColumns hot = hottestOf(columnDegrees(a.view()), most);
  int64_t entries = 0;
  for (const int64_t c : kept)
    entries += degrees[static_cast<size_t>(c)];
  CHECK(hot.columns == std::ssize(kept));
  CHECK(hot.columns <= most);
  if (hot.least < kMostCountedDegree || hot.columns < most)
    CHECK(hot.entries == entries);
  int64_t hotter = 0; // all of them are kept unless these are too many
  for (const int64_t degree : degrees)
    hotter += degree >= hot.least;
  CHECK((hotter == hot.columns || hot.least == kMostCountedDegree));
  if (hot.least < kMostCountedDegree)
    CHECK(hot.least > 0);
}

} // namespace

TEST_CASE("columns are counted by their entries: adversarial matrices") {
  const std::vector<std::vector<int64_t>> cases = {
      {},
      {0},
      {1},
      {0, 0, 0},
      {5, 5, 5, 5},
      {1, 2, 3, 4, 5, 0, 0},
      {4094, 1, 4095, 0, 4096, 2},
      {20000, 1, 1, 1, 1, 0},
      {9000, 8000, 7000, 1},
  };
  for (const std::vector<int64_t> &degrees : cases) {
    const CsrMatrix a = withDegrees(degrees);
    checkCounts(a);
    for (const int64_t most : {0, 1, 2, 3, 4, 7, 1 << 20})
      checkHottest(a, most);
  }
}

TEST_CASE("columns are counted by their entries: families") {
  for (const char *spec : {"rmat:scale=12", "features:rows=3000,cols=5000,k=9", "stencil5:n=40",
                           "random:k=7,rows=900", "arrow:rows=9000", "dense:rows=5000,cols=9"}) {
    INFO(spec);
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    checkCounts(a);
    for (const int64_t most : {1, 100, 1000, 40960})
      checkHottest(a, most);
  }
}

TEST_CASE("the counts do not depend on the type of indices nor on the order of a row's entries") {
  const CsrMatrix a = llvm::cantFail(generateFamily("rmat:scale=10"));
  const std::vector<int64_t> rowPtr(a.rowPtr.begin(), a.rowPtr.end());
  std::vector<int64_t> col(a.col.begin(), a.col.end());
  for (int64_t row = 0; row < a.rows; ++row)
    std::reverse(col.begin() + rowPtr[static_cast<size_t>(row)],
                 col.begin() + rowPtr[static_cast<size_t>(row) + 1]);
  CsrView wide = a.view();
  wide.indexType = IndexType::i64;
  wide.rowPtr = rowPtr.data();
  wide.col = col.data();
  CHECK(columnDegrees(wide) == columnDegrees(a.view()));
}

TEST_CASE("columns with too many counted entries share them equally") {
  ColumnDegrees counted{10, 50000, {{1, 6}, {kMostCountedDegree, 4}}};
  CHECK(hottestOf(counted, 2).entries == (50000 - 6) / 2);
  CHECK(hottestOf(counted, 4).entries == 50000 - 6);
  CHECK(hottestOf(counted, 9).entries == 50000 - 6); // the other six would be too many
  CHECK(hottestOf(counted, 10).entries == 50000);
  const int64_t most = int64_t{1} << 31;
  counted = {2 * most, 3 * most, {{1, most}, {2, most}}};
  CHECK(hottestOf(counted, most).entries == 2 * most);
  CHECK(hottestOf(counted, 2 * most).entries == 3 * most);
}
