// Tests of the twins: exact counts, the known structure and row lengths, and those that are the
// original matrix rather than a twin.
#include "models/lab/families/twins.h"
#include "tests/models/lab/families/families_testing.h"

#include <doctest/doctest.h>

using namespace familytest;

TEST_CASE("twins have exactly the rows, columns and non-zeros of the collection, and their label") {
  int64_t made = 0;
  for (const Twin &twin : kTwins) {
    const std::string spec = "twin:" + twin.name.str();
    CAPTURE(spec);
    if (twin.nnz > 1000000) // the same code makes the larger ones
      continue;
    const CsrMatrix a = make(spec);
    CHECK(wellFormed(a));
    CHECK(a.rows == twin.rows);
    CHECK(a.cols == twin.cols);
    CHECK(a.nnz() == twin.nnz);
    CHECK(a.name == spec);
    ++made;
  }
  CHECK(made == 29);
}

TEST_CASE("some of the larger twins have their size too") {
  const CsrMatrix a = make("twin:xenon2"), b = make("twin:TSOPF_RS_b300_c3");
  CHECK(a.rows == 157464);
  CHECK(a.nnz() == 3866688);
  CHECK(b.rows == 42138);
  CHECK(b.nnz() == 4413449);
  CHECK(longestRow(b) == 20702);
}

TEST_CASE("as=paper takes the paper's own count, and says so in the name") {
  for (const Twin &twin : kTwins) {
    const std::string spec = "twin:" + twin.name.str() + ",as=paper";
    CAPTURE(spec);
    if (twin.nnz > 1000000 || twin.paperNnz == 0)
      continue;
    const CsrMatrix a = make(spec);
    CHECK(wellFormed(a));
    CHECK(a.rows == twin.rows);
    CHECK(a.nnz() == twin.paperNnz);
    CHECK(a.name == spec);
  }
  const CsrMatrix a = make("twin:fd15,as=paper"), b = make("twin:fd15");
  CHECK(equal(a, b)); // the paper counts as the collection does
  CHECK(a.name == "twin:fd15,as=paper");
}

TEST_CASE("the name says what the twin is however it was asked for") {
  CHECK(make("twin:name=bayer09").name == "twin:bayer09");
  CHECK(make("twin:as=collection,name=bayer09").name == "twin:bayer09");
  CHECK(make("twin:bayer09,seed=3").name == "twin:bayer09,seed=3");
  CHECK(equal(make("twin:name=bayer09"), make("twin:bayer09")));
}

TEST_CASE("row lengths spread as the HCGHYB paper prints") {
  for (const auto &[known, spread] :
       std::vector<std::pair<std::string, double>>{{"tols4000", 5.92},
                                                   {"meg4", 16.66},
                                                   {"tuma2", 1.2},
                                                   {"poli_large", 8.9},
                                                   {"fd15", 1.65},
                                                   {"poli4", 7.57},
                                                   {"lp_stocfor3", 3.34},
                                                   {"bayer04", 8.2},
                                                   {"lhr10", 26.37},
                                                   {"mark3jac120", 4.36},
                                                   {"copter2", 3.55},
                                                   {"ch7-8-b5", 0},
                                                   {"fp", 207.83},
                                                   {"sinc18", 34.32},
                                                   {"Zd_Jac6", 175.4},
                                                   {"TSOPF_RS_b300_c2", 102.4}}) {
    const std::string name = known;
    CAPTURE(name);
    CHECK(spreadOf(make("twin:" + name + ",as=paper")) == doctest::Approx(spread).epsilon(0.06));
  }
}

// A former bug: meg4's longest row had 1,191 entries, and other lengths with other seeds.
TEST_CASE("the mean and the longest row are those that the HCGHYB paper prints") {
  struct {
    const char *name;
    int64_t mean, longest; // the mean without its fraction; 0: not printed
  } const cases[] = {{"poli4", 2, 304},        {"poli_large", 2, 491}, {"meg4", 4, 1193},
                     {"meg4,seed=7", 4, 1193}, {"bayer04", 7, 34},     {"lhr10", 21, 63},
                     {"fp", 112, 0},           {"Zd_Jac6", 74, 0}};
  for (const auto &c : cases) {
    CAPTURE(std::string(c.name));
    const CsrMatrix a = make(std::string("twin:") + c.name + ",as=paper");
    CHECK(a.nnz() / a.rows == c.mean);
    CHECK((c.longest == 0 || longestRow(a) == c.longest));
  }
}

// A former bug: mirroring made the longest rows of bcsstk16 and cavity05 108 and 68 entries long.
TEST_CASE("symmetric twins have the longest row and the spread that are known") {
  struct {
    const char *name;
    int64_t longest;
    double spread;
  } const cases[] = {{"bcsstk16", 81, 17.31}, {"cavity05", 62, 14}, {"cavity05,seed=5", 62, 14},
                     {"add32", 32, 3.7},      {"case9", 30, 4},     {"g3rmt3m3", 48, 6},
                     {"bcsstk04", 45, 10.75}}; // 46, but blocks of 3 have 45
  for (const auto &c : cases) {
    CAPTURE(std::string(c.name));
    const CsrMatrix a = make(std::string("twin:") + c.name);
    CHECK(longestRow(a) == c.longest);
    CHECK(spreadOf(a) == doctest::Approx(c.spread).epsilon(0.08));
  }
}

TEST_CASE("symmetric twins are symmetric, with the diagonal that is known") {
  for (const Twin &twin : kTwins) {
    if (twin.kind != TwinKind::symmetric || twin.nnz > 500000)
      continue;
    CAPTURE(twin.name.str());
    const CsrMatrix a = make("twin:" + twin.name.str());
    CHECK(mirrored(a) == a.nnz());
    CHECK(onDiagonal(a) == (twin.diagonal < 0 ? twin.rows : twin.diagonal));
  }
  // If the number of entries off a full diagonal is odd, the diagonal loses one entry.
  const CsrMatrix a = make("twin:rma10");
  CHECK(onDiagonal(a) == a.rows - 1);
  CHECK(mirrored(a) == a.nnz());
}

TEST_CASE("what a paper counts of a symmetric file is the lower triangle") {
  for (const std::string name : {"copter2", "tuma2"}) {
    const CsrMatrix whole = make("twin:" + name), lower = make("twin:" + name + ",as=paper");
    CHECK(2 * lower.nnz() - onDiagonal(lower) == whole.nnz());
    CHECK(mirrored(lower) == onDiagonal(lower));
  }
}

TEST_CASE("meshes of several unknowns have full blocks near the diagonal") {
  const CsrMatrix a = make("twin:bcsstk16");
  CHECK(bandwidth(a) <= 3 * 46 + 2);
  int64_t full = 0, blocks = 0;
  for (int64_t i = 0; i < a.rows; i += 3)
    for (int64_t j = 0; j < a.cols; j += 3) {
      int64_t entries = 0;
      for (int64_t e = 0; e < 9; ++e)
        entries += hasEntry(a, i + e / 3, j + e % 3);
      full += entries == 9;
      blocks += entries > 0;
    }
  CHECK(double(full) / double(blocks) > 0.98); // a few entries too many are taken from them
}

TEST_CASE("the rows of a node of an optimal power flow share their columns") {
  const CsrMatrix a = make("twin:TSOPF_RS_b300_c2");
  int64_t longRows = 0, shared = 0;
  for (int64_t row = 1; row < a.rows; ++row) {
    const int64_t length = lengthOf(a, row);
    if (row % 11 == 0 || length < 100 || lengthOf(a, row - 1) != length)
      continue;
    const auto first = a.col.begin() + a.rowPtr[size_t(row)];
    ++longRows;
    shared += std::equal(first, first + length, first - length);
  }
  CHECK(longRows > 12000);
  CHECK(double(shared) / double(longRows) > 0.99);
}

TEST_CASE("ch7-8-b5, mc2depi, conf5 and rail4284 come from their families") {
  CHECK(equal(make("twin:ch7-8-b5"), make("chessboard:m=7,n=8,k=5")));
  CHECK(equal(make("twin:mc2depi"), make("epidemic:n=1024")));
  CHECK(equal(make("twin:conf5_4-8x8-05,seed=2"), make("qcd:l=8,seed=2")));
  CHECK(make("twin:mc2depi").name == "twin:mc2depi");
}
