// Tests the Matrix Market reader's messages about bad text: the place, the sentence, the line, a
// caret.
#include "models/base/memory.h"
#include "models/lab/matrix_market/parts.h"
#include "tests/models/lab/matrix_market/matrix_market_testing.h"

#include <algorithm>

using namespace specmv;
using namespace specmv::testing;

namespace {

const std::string kBanner = "%%MatrixMarket matrix coordinate real general\n";

std::string errorOf(const std::string &text) {
  Failure failure = failureOf(parseMatrixMarket(text, "a.mtx"));
  CHECK((failure.text.empty() || failure.status == Status::badInput));
  return failure.text;
}

struct Bad {
  std::string text;
  const char *message; // the first line
};

void checkAll(const std::vector<Bad> &table) {
  for (const Bad &bad : table) {
    CAPTURE(bad.text);
    std::string error = errorOf(bad.text);
    CHECK(error.substr(0, error.find('\n')) == bad.message);
  }
}

std::string sized(const std::string &words, const std::string &rest) {
  return "%%MatrixMarket matrix " + words + "\n" + rest;
}

} // namespace

TEST_CASE("an error shows the line and a caret under the word") {
  CHECK(errorOf(kBanner + "5 5 2\n1 1 1\n 9 2\t3.5\n") ==
        "a.mtx:4:2: error: row index 9 exceeds 5 rows\n 9 2 3.5\n ^");
  CHECK(errorOf(kBanner + "5 5 1\r\n1 1 abc\r\n") ==
        "a.mtx:3:5: error: value 'abc' is not a number\n1 1 abc\n    ^~~");
  CHECK(errorOf(kBanner + "5 5 1\n1 1\n") ==
        "a.mtx:3:4: error: expected a value, found the end of the line\n1 1\n   ^");
  CHECK(errorOf(kBanner + "5 5 1\n1 1\r\r\n") ==
        "a.mtx:3:4: error: expected a value, found the end of the line\n1 1\n   ^");
}

TEST_CASE("a bad banner is refused") {
  checkAll({
      {"", "a.mtx:1:1: error: expected the banner '%%MatrixMarket matrix ...', found the end of "
           "the line"},
      {"\xef\xbb\xbf%%MatrixMarket matrix coordinate real general\n",
       "a.mtx:1:1: error: the text begins with a byte order mark, 3 bytes before the banner; "
       "remove "
       "it"},
      {"3 3 1\n", "a.mtx:1:1: error: expected the banner '%%MatrixMarket matrix ...', found '3'"},
      {"%MatrixMarket matrix coordinate real general\n",
       "a.mtx:1:1: error: expected the banner '%%MatrixMarket matrix ...', found '%MatrixMarket'"},
      {"%%MatrixMarket vector array real general\n",
       "a.mtx:1:16: error: expected matrix, found 'vector'"},
      {sized("dense real general", ""),
       "a.mtx:1:23: error: expected coordinate or array, found 'dense'"},
      {sized("array", ""),
       "a.mtx:1:28: error: expected real, integer, pattern or complex, found the end of the line"},
      {sized("array double general", ""),
       "a.mtx:1:29: error: expected real, integer, pattern or complex, found 'double'"},
      {sized("array real lower", ""), "a.mtx:1:34: error: expected general, symmetric, "
                                      "skew-symmetric or hermitian, found 'lower'"},
      {sized("array real general x", ""),
       "a.mtx:1:42: error: expected the end of the banner, found 'x'"},
      {sized("array complex general", ""),
       "a.mtx:1:29: error: complex matrices are not supported; "
       "write the real matrix [Re -Im; Im Re], of twice the size"},
      {sized("coordinate real hermitian", ""), "a.mtx:1:39: error: hermitian matrices are "
                                               "complex, and complex matrices are not supported"},
      {sized("array pattern general", ""),
       "a.mtx:1:29: error: an array holds values, so it cannot be a pattern"},
      {sized("coordinate pattern skew-symmetric", ""),
       "a.mtx:1:42: error: a pattern cannot be skew-symmetric: all its values are 1"},
  });
}

TEST_CASE("a bad size line is refused before anything is made of its numbers") {
  checkAll({
      {kBanner, "a.mtx:1:46: error: the file ends before its size line"},
      {kBanner + "% 1 1 0\n\n", "a.mtx:2:8: error: the file ends before its size line"},
      {kBanner + "3 3\n",
       "a.mtx:2:4: error: expected 3 numbers (rows, columns, entries) on the size line, found 2"},
      {kBanner + "3 3 3 9\n",
       "a.mtx:2:7: error: expected 3 numbers (rows, columns, entries) on the size line, found 4"},
      {sized("array real general", "3 3 9\n"),
       "a.mtx:2:5: error: expected 2 numbers (rows, columns) on the size line, found 3"},
      {kBanner + "3 x 3\n", "a.mtx:2:3: error: column count 'x' is not a whole number"},
      {kBanner + "3.0 3 3\n", "a.mtx:2:1: error: row count '3.0' is not a whole number"},
      {kBanner + "3 3 -3\n", "a.mtx:2:5: error: entry count -3 is negative"},
      {kBanner + "2147483648 1 1\n", "a.mtx:2:1: error: row count 2147483648 exceeds 2147483647"},
      {kBanner + "1 1 19223372036854775808\n",
       "a.mtx:2:5: error: entry count 19223372036854775808 exceeds 2147483647"},
      {sized("coordinate real symmetric", "3 4 1\n"),
       "a.mtx:2:3: error: a symmetric matrix is square, but this has 3 rows and 4 columns"},
      {sized("array real skew-symmetric", "4 3\n"),
       "a.mtx:2:3: error: a skew-symmetric matrix is square, but this has 4 rows and 3 columns"},
      {sized("array real general", "65536 65536\n"),
       "a.mtx:2:1: error: 65536 rows of 65536 columns have 4294967296 entries, more than "
       "2147483647"},
  });
}

TEST_CASE("a bad entry is refused with its place") {
  const std::string start = kBanner + "5 7 2\n1 1 1\n";
  checkAll({
      {start + "0 1 1\n", "a.mtx:4:1: error: row index 0 is too small: indices begin at 1"},
      {start + "1 8 1\n", "a.mtx:4:3: error: column index 8 exceeds 7 columns"},
      {start + "1 19223372036854775808 1\n",
       "a.mtx:4:3: error: column index 19223372036854775808 exceeds 7 columns"},
      {start + "-1 1 1\n", "a.mtx:4:1: error: row index -1 is negative"},
      {start + "1.0 1 1\n", "a.mtx:4:1: error: row index '1.0' is not a whole number"},
      {start + "2\n", "a.mtx:4:2: error: expected a column index, found the end of the line"},
      {start + "2 1 1.5.2\n", "a.mtx:4:5: error: value '1.5.2' is not a number"},
      {start + "2 1 +-1\n", "a.mtx:4:5: error: value '+-1' is not a number"},
      {start + "2 1 0x10\n", "a.mtx:4:5: error: value '0x10' is not a number"},
      {start + "2 1 1e\n", "a.mtx:4:5: error: value '1e' is not a number"},
      {start + "2 1 -1D310\n", "a.mtx:4:5: error: value -1D310 exceeds the largest double"},
      {start + "2 1 1 3\n", "a.mtx:4:7: error: unexpected '3' after the entry"},
      {start + "2 1 1 % c\n", "a.mtx:4:7: error: unexpected '%' after the entry"},
      {start, "a.mtx:3:6: error: expected 2 entries, found 1"},
      {start + "2 1 1\n\n3 1 1", "a.mtx:6:1: error: expected 2 entries, found more"},
      {start + "2 1 1\nx\n", "a.mtx:5:1: error: expected 2 entries, found more"},
      {kBanner + "0 1 1\n", "a.mtx:2:6: error: expected 1 entries, found 0"},
      {kBanner + "3 3 2147483647\n1 1 1\n",
       "a.mtx:3:6: error: expected 2147483647 entries, found 1"},
      {sized("coordinate pattern general", "2 2 1\n1 1 1\n"),
       "a.mtx:3:5: error: unexpected '1' after the entry"},
      {sized("coordinate integer general", "2 2 1\n1 1 i\n"),
       "a.mtx:3:5: error: value 'i' is not a number"},
      {sized("coordinate real skew-symmetric", "2 2 1\n2 2 10.5\n"),
       "a.mtx:3:5: error: the diagonal of a skew-symmetric matrix is 0, not 10.5"},
      {sized("array real general", "2 1\n1 2\n"),
       "a.mtx:3:3: error: unexpected '2' after the entry"},
      {sized("array real symmetric", "2 2\n1\n2\n"),
       "a.mtx:4:2: error: expected 3 entries, found 2"},
  });
}

// A former bug: such values were read as in a file of reals.
TEST_CASE("the field integer has no values but integers") {
  for (const std::string word : {"1.5", "1e3", "2.0", "-.5", "1D2", "1."}) {
    CAPTURE(word);
    const std::string told = "error: value '" + word +
                             "' is not an integer, but the banner says integer; write real there";
    CHECK(errorOf(sized("coordinate integer general", "2 2 1\n1 2 " + word + "\n"))
              .starts_with("a.mtx:3:5: " + told));
    CHECK(errorOf(sized("array integer general", "1 2\n7\n" + word + "\n"))
              .starts_with("a.mtx:4:1: " + told));
  }
  CHECK(errorOf(sized("coordinate integer general", "1 1 1\n1 1 1" + std::string(400, '0') + "\n"))
            .find("exceeds the largest double") != std::string::npos);
}

TEST_CASE("a long line is shortened around the caret, and no byte can reach the terminal") {
  std::string error =
      errorOf(kBanner + "5 5 1\n1 1 " + std::string(5000000, '7') + "\x1b[31m" + "\n");
  CHECK(error.size() < 400);
  CHECK(error.starts_with("a.mtx:3:5: error: value '7777"));
  error = errorOf(kBanner + "5 5 1\n" + std::string(300000, ' ') + "1 \x1b[31m\xff 3" +
                  std::string(300000, ' ') + "\n");
  CHECK(error == "a.mtx:3:300003: error: column index '?[31m?' is not a whole number\n..." +
                     std::string(48, ' ') + "1 ?[31m? 3" + std::string(42, ' ') + "...\n" +
                     std::string(53, ' ') + "^~~~~~");
}

TEST_CASE("rows that do not fit the memory are refused before entries are read") {
  const matrixmarket::Header header{.rows = 2000000000, .cols = 5, .entries = 1};
  const Failure failure = failureOf(matrixmarket::checkRows("a.mtx", header, int64_t{1} << 30));
  CHECK(failure.status == Status::missing);
  CHECK(failure.text == "a.mtx: error: the rows of a matrix of 2000000000 x 5 alone need 15258 "
                        "MiB; this machine has 1024 MiB available");
  CHECK(failureOf(matrixmarket::checkRows("a.mtx", header, int64_t{8} * 2000000000)).text == "");
  // A machine that lacks the memory does not look at the entry, which is wrong.
  const PretendedMemory little(kLittleMemory);
  CHECK(failureOf(parseMatrixMarket(kBanner + "2147483647 5 1\nx\n", "a.mtx")).status ==
        Status::missing);
}

TEST_CASE("the first error of a file of several pieces is reported, with its line and column") {
  constexpr int kEntries = 200000; // 4 MB
  auto text = [](int declared, const std::vector<int> &badLines) {
    std::string result = kBanner + "9999 9999 " + std::to_string(declared) + "\n";
    for (int line = 3; line < 3 + kEntries; ++line)
      result += std::count(badLines.begin(), badLines.end(), line) ? "1234 99999 0.12345678\n"
                                                                   : "1234 5678 0.123456789\n";
    return result;
  };
  auto firstLine = [](const std::string &error) { return error.substr(0, error.find('\n')); };
  CHECK(errorOf(text(kEntries, {})).empty());
  CHECK(firstLine(errorOf(text(kEntries, {123456}))) ==
        "a.mtx:123456:6: error: column index 99999 exceeds 9999 columns");
  CHECK(firstLine(errorOf(text(kEntries, {199999, 54321, 54400}))) ==
        "a.mtx:54321:6: error: column index 99999 exceeds 9999 columns");
  CHECK(firstLine(errorOf(text(150000, {160000}))) ==
        "a.mtx:150003:1: error: expected 150000 entries, found more");
  CHECK(firstLine(errorOf(text(150000, {140000}))) ==
        "a.mtx:140000:6: error: column index 99999 exceeds 9999 columns");
  CHECK(firstLine(errorOf(text(kEntries + 1, {}))) ==
        "a.mtx:200002:22: error: expected 200001 entries, found 200000");
}
