// Tests how the Matrix Market reader reads good text. Expected matrices are written by hand.
#include "tests/models/lab/matrix_market/matrix_market_testing.h"

#include <cmath>
#include <limits>
#include <map>

using namespace specmv;
using namespace specmv::testing;

namespace {

const std::string kReal = "%%MatrixMarket matrix coordinate real general\n";

CsrMatrix coordinate(const std::string &words, const std::string &rest) {
  return parsed("%%MatrixMarket matrix coordinate " + words + "\n" + rest);
}

CsrMatrix array(const std::string &words, const std::string &rest) {
  return parsed("%%MatrixMarket matrix array " + words + "\n" + rest);
}

double onlyValue(const std::string &field, const std::string &word) {
  CsrMatrix a = coordinate(field + " general", "1 1 1\n1 1 " + word + "\n");
  REQUIRE(a.nnz() == 1);
  return a.val[0];
}

} // namespace

TEST_CASE("a coordinate file becomes CSR with ascending columns, empty rows and explicit zeros") {
  CsrMatrix a = parsed(kReal + "4 5 5\n3 5 1.5\n1 2 -2\n3 1 0\n1 1 1e3\n4 4 7\n");
  checkMatrix(a, 4, 5, {0, 2, 2, 4, 5}, {0, 1, 0, 4, 3}, {1000, -2, 0, 1.5, 7});
  CHECK(a.name == "x");
}

TEST_CASE("matrices without entries are valid, with any dimension 0") {
  checkMatrix(parsed(kReal + "0 0 0\n"), 0, 0, {0}, {}, {});
  checkMatrix(parsed(kReal + "3 4 0"), 3, 4, {0, 0, 0, 0}, {}, {});
  checkMatrix(parsed(kReal + "0 7 0\n\n%\n"), 0, 7, {0}, {}, {});
  checkMatrix(parsed(kReal + "2 0 0\n"), 2, 0, {0, 0, 0}, {}, {});
  checkMatrix(parsed(kReal + "1 2147483647 1\n1 2147483647 4\n"), 1, 2147483647, {0, 1},
              {2147483646}, {4});
  checkMatrix(array("real general", "0 3\n"), 0, 3, {0}, {}, {});
  checkMatrix(array("real symmetric", "0 0\n"), 0, 0, {0}, {}, {});
}

TEST_CASE("one by one") {
  checkMatrix(parsed(kReal + "1 1 1\n1 1 3\n"), 1, 1, {0, 1}, {0}, {3});
  checkMatrix(array("real general", "1 1\n3\n"), 1, 1, {0, 1}, {0}, {3});
  checkMatrix(array("real skew-symmetric", "1 1\n"), 1, 1, {0, 1}, {0}, {0});
}

TEST_CASE("pattern values are 1, and repeated ones add up") {
  checkMatrix(coordinate("pattern general", "2 2 3\n2 1\n1 2\n2 1\n"), 2, 2, {0, 1, 2}, {1, 0},
              {1, 2});
}

TEST_CASE("symmetric files are mirrored from either triangle, the diagonal once") {
  std::vector<int32_t> ptr{0, 2, 4, 6}, col{0, 2, 1, 2, 0, 1};
  std::vector<double> val{1, 4, 2, 5, 4, 5};
  checkMatrix(coordinate("real symmetric", "3 3 4\n1 1 1\n2 2 2\n3 1 4\n3 2 5\n"), 3, 3, ptr, col,
              val);
  checkMatrix(coordinate("integer symmetric", "3 3 4\n1 1 1\n2 2 2\n1 3 4\n3 2 5\n"), 3, 3, ptr,
              col, val);
}

TEST_CASE("skew-symmetric files are mirrored with the other sign, and may hold diagonal zeros") {
  checkMatrix(coordinate("real skew-symmetric", "3 3 3\n2 1 4\n2 3 -5\n3 3 0\n"), 3, 3,
              {0, 1, 3, 5}, {1, 0, 2, 1, 2}, {-4, 4, -5, 5, 0});
}

TEST_CASE("an array file is column-major and every entry is kept, zeros too") {
  checkMatrix(array("real general", "2 3\n1\n0\n3\n4\n-0.5\n6\n"), 2, 3, {0, 3, 6},
              {0, 1, 2, 0, 1, 2}, {1, 3, -0.5, 0, 4, 6});
  checkMatrix(array("integer symmetric", "3 3\n1\n2\n3\n4\n5\n6\n"), 3, 3, {0, 3, 6, 9},
              {0, 1, 2, 0, 1, 2, 0, 1, 2}, {1, 2, 3, 2, 4, 5, 3, 5, 6});
  checkMatrix(array("real skew-symmetric", "3 3\n2\n3\n5\n"), 3, 3, {0, 3, 6, 9},
              {0, 1, 2, 0, 1, 2, 0, 1, 2}, {0, -2, -3, 2, 0, -5, 3, 5, 0});
}

TEST_CASE("duplicates are summed in the order of the file") {
  // 1e16 + 1 is 1e16 again; any other order of these three would give 1.
  checkMatrix(parsed(kReal + "1 2 4\n1 2 1e16\n1 2 1\n1 1 5\n1 2 -1e16\n"), 1, 2, {0, 2}, {0, 1},
              {5, 0});
  checkMatrix(coordinate("real symmetric", "2 2 3\n2 1 1e16\n1 2 1\n2 1 -1e16\n"), 2, 2, {0, 1, 2},
              {1, 0}, {0, 0});
  checkMatrix(parsed(kReal + "3 1 4\n3 1 1\n1 1 2\n3 1 4\n1 1 8\n"), 3, 1, {0, 1, 1, 2}, {0, 0},
              {10, 5});
}

TEST_CASE("comments, blanks, CRLF and case do not matter, nor does the last newline") {
  checkMatrix(parsed("%%matrixmarket  MATRIX\tCoordinate Real GENERAL \r\n% 9 9 9\r\n\r\n \t% c\r\n"
                     "  2\t2  2 \r\n%\r\n\r\n1 1 1\r\n\t% inside\r\n   2 \t 2\f2\r\n\r\n% end"),
              2, 2, {0, 1, 2}, {0, 1}, {1, 2});
  checkMatrix(parsed(kReal + "+2 2 2\n+1 01 1\n2 2 2"), 2, 2, {0, 1, 2}, {0, 1}, {1, 2});
}

TEST_CASE("real values may have signs, Fortran exponents, and be inf, nan or too small") {
  const std::pair<const char *, double> kWords[] = {
      {"+1", 1},
      {"-.5", -0.5},
      {"5.", 5},
      {"1D2", 100},
      {"-2.5d-1", -.25},
      {"+1d+2", 100},
      {"1e-400", 0},
      {"-1d-400", 0},
      {"3e-324", std::numeric_limits<double>::denorm_min()},
      {"inf", INFINITY},
      {"-Infinity", -INFINITY},
      {"+inf", INFINITY},
      {"1.7976931348623157e308", 1.7976931348623157e308},
      {"0.1", 0.1},
      {"123456789012345678901234567890", 123456789012345678901234567890.0}};
  for (const auto &word : kWords) {
    CAPTURE(word.first);
    CHECK(onlyValue("real", word.first) == word.second);
  }
  CHECK(std::isnan(onlyValue("real", "NaN")));
  CHECK(std::signbit(onlyValue("real", "-0")));
}

TEST_CASE("integers round to the nearest double, however long") {
  CHECK(onlyValue("integer", "-9007199254740993") == -9007199254740992.0);
  CHECK(onlyValue("integer", "+9223372036854775807") == 9223372036854775808.0);
  CHECK(onlyValue("integer", "19223372036854775808") == 19223372036854775808.0);
  CHECK(onlyValue("integer", "+00000000000000000000000000012") == 12);
  CHECK(onlyValue("integer", "-inf") == -INFINITY); // in files of GraphBLAS
}

TEST_CASE("a large file, read in several pieces, equals what was put into it") {
  constexpr int32_t kRows = 3000, kCols = 2000, kEntries = 120000;
  std::mt19937_64 random(7);
  std::map<std::pair<int32_t, int32_t>, double> expected;
  std::string text = kReal + std::to_string(kRows) + " " + std::to_string(kCols) + " " +
                     std::to_string(kEntries) + "\n";
  for (int32_t k = 0; k < kEntries; ++k) {
    auto i = static_cast<int32_t>(random() % kRows), j = static_cast<int32_t>(random() % kCols);
    if (k % 5 == 0)
      i = 17; // one row that is nearly dense, and many duplicates in it
    double v = static_cast<double>(random()) / 1e10;
    char line[96];
    std::snprintf(line, sizeof line, "%d %d %.17g\n", i + 1, j + 1, v);
    text += line;
    expected[{i, j}] += v;
  }
  REQUIRE(text.size() > (size_t{3} << 20));
  CsrMatrix a = parsed(text);
  REQUIRE(a.nnz() == static_cast<int64_t>(expected.size()));
  auto entry = expected.begin();
  int64_t wrong = 0;
  for (int32_t i = 0; i < kRows; ++i)
    for (int32_t k = a.rowPtr[static_cast<size_t>(i)]; k < a.rowPtr[static_cast<size_t>(i) + 1];
         ++k, ++entry)
      wrong += entry->first != std::pair{i, a.col[static_cast<size_t>(k)]} ||
               entry->second != a.val[static_cast<size_t>(k)];
  CHECK(wrong == 0);
}
