// Tests of the estimates that formats share: sectors of x, counted by hand.
#include "generator/shared/gathers.h"
#include "tests/generator/edge_matrices.h"
#include "tests/generator/formats/one_format.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

// Rows of `length` entries, each in its own sector in double, the same in every row.
CsrMatrix likeRows(int64_t rows, int64_t length, int64_t cols) {
  return matrixOf("like rows", rows, cols, [=](int64_t) { return run(0, length, 4); });
}

int64_t gatheredBytes(const CsrMatrix &a, ValueType type) {
  const SparsityProfile seen = profile(a.view());
  const Problem problem{type};
  const Fixed none;
  return gatherBytes({seen, problem, h200(), none});
}

int64_t sectorsOf(const CsrMatrix &a) { return gatheredBytes(a, ValueType::f64) / 32; }

} // namespace

TEST_CASE("a sector that up to 256 short rows share is delivered once") {
  CHECK(sectorsOf(likeRows(200, 10, 1000000)) == 10);
  // The profile samples 2,048 of 5,120 entries: four of each row of ten.
  CHECK(sectorsOf(likeRows(512, 10, 1000000)) == 2 * 10);
}

TEST_CASE("rows that are too long for L1 share nothing") {
  CHECK(sectorsOf(likeRows(64, 5000, 1000000)) == 64 * 5000);
}

TEST_CASE("in between, rows share what so many of them would") {
  // 4,096 entries are 32 rows of 128.
  CHECK(sectorsOf(likeRows(64, 128, 1000000)) == 2 * 128);
  // 8 rows of 512: between one sector per entry for one row and 1/32 for 32 rows, at 3/5 in
  // logarithms.
  CHECK(sectorsOf(likeRows(64, 512, 1000000)) ==
        static_cast<int64_t>(64 * 512 * (1 - 0.6 * (1 - 1.0 / 32))));
}

TEST_CASE("an x that fits L1 stays there however long rows are") {
  CHECK(sectorsOf(likeRows(256, 5000, 20000)) == 5000);
}

TEST_CASE("a full row has no more sectors than x") {
  const CsrMatrix a = matrixOf("a full row", 100, 80000, [](int64_t i) {
    return i == 0 ? run(0, 80000) : run(i * 700, 4, 200);
  });
  CHECK(sectorsOf(a) <= 80000 / 4 + 1 + 99 * 4);
}

TEST_CASE("in float a sector holds twice the columns") {
  CHECK(gatheredBytes(likeRows(200, 10, 1000000), ValueType::f32) == 32 * 5);
}

TEST_CASE(
    "the first loads of all threads ask for sectors that L1 does not have yet, later ones do not") {
  // Lanes of csr5 are 8 entries apart, so each reads a sector of its own, of an x that L1 keeps.
  const auto again = [](int64_t rows) {
    SparsityProfile seen = profile(likeRows(256, 200, 900).view());
    seen.rows = rows, seen.nnz = rows * 200, seen.lengths = {{200, rows}};
    const auto sectors = [&](double askedAgain) {
      const Traffic t = trafficWith(seen, "csr5", kDouble, "csr5.askedAgain", askedAgain);
      return static_cast<double>(t.gatherBytes) / 32;
    };
    return sectors(1) - sectors(0.001);
  };
  const double inFlight = 132 * 2048 * 8;
  CHECK(again(2000) == doctest::Approx(2000 * 200).epsilon(0.1));
  CHECK(again(200000) == doctest::Approx(inFlight).epsilon(0.1));
}

namespace {

// 2^16 rows with 4 or 12 columns around the diagonal. isLong(i) says which have 12.
CsrMatrix twoLengths(bool (*isLong)(int64_t)) {
  return matrixOf("two lengths", 1 << 16, (1 << 16) + 64,
                  [=](int64_t i) { return run(i, isLong(i) ? 12 : 4, 1); });
}

OrderOfLengths orderOf(const CsrMatrix &a) {
  const SparsityProfile seen = profile(a.view());
  const Fixed none;
  return orderOfLengths({seen, kDouble, h200(), none});
}

int64_t gatheredByJad(const CsrMatrix &a) {
  return trafficOf(a, offerOf(a, "jad").plans.at(0), kDouble).gatherBytes;
}

bool isInLongRun(int64_t i) { return i / 4096 % 2 == 1; }
bool isDrawn(int64_t i) { return (i * 0x9e3779b97f4a7c15ull >> 40 & 1) == 1; }

} // namespace

TEST_CASE("the order of lengths tells runs of equal rows from rows in no order") {
  const OrderOfLengths runs = orderOf(twoLengths(isInLongRun)), none = orderOf(twoLengths(isDrawn));
  CHECK(runs.drawn < 0.01);
  CHECK(none.drawn == doctest::Approx(1).epsilon(0.05));
  CHECK(runs.distance == doctest::Approx(2).epsilon(0.05)); // half of the rows have each length
  CHECK(none.distance == doctest::Approx(2).epsilon(0.05));
  CHECK(orderOf(matrixOf("no entry", 100, 100, [](int64_t) { return run(0, 0, 1); })).drawn == 1);
}

TEST_CASE("sorting rows takes those apart that lie in no order, and leaves runs as they are") {
  CHECK(gatheredByJad(twoLengths(isInLongRun)) * 1.2 <
        static_cast<double>(gatheredByJad(twoLengths(isDrawn))));
}

TEST_CASE("lanes that read different rows ask again for the runs of their rows") {
  // Runs of 16 columns at places that no two rows share: 4 sectors of doubles for 16 entries.
  const CsrMatrix a = matrixOf("runs", 40000, 4000000, [](int64_t i) {
    return run(static_cast<int32_t>(i * 0x9e3779b97f4a7c15ull >> 44) * 3, 16, 1);
  });
  const auto sectorsPerEntry = [&](const char *format, double lost) {
    const Traffic t = trafficWith(profile(a.view()), format, kDouble, "gather.lostInRows", lost);
    return static_cast<double>(t.gatherBytes) / 32 / static_cast<double>(a.nnz());
  };
  const double ofRow = 0.25;
  CHECK(sectorsPerEntry("ell", 1) - sectorsPerEntry("ell", 0.001) > 0.8 * (1 - ofRow));
  CHECK(sectorsPerEntry("csr-merge", 1) == sectorsPerEntry("csr-merge", 0.001));
}

TEST_CASE("loads whose lanes hit many lines of L1 cost more work") {
  // 896 columns, of which each row has some 200: lanes along a row share lines, those of csr5 do
  // not.
  const CsrMatrix a = matrixOf("few columns", 4000, 896,
                               [](int64_t i) { return run(static_cast<int32_t>(i % 4), 220, 4); });
  const auto moreUs = [&](const char *format) {
    const SparsityProfile seen = profile(a.view());
    return trafficWith(seen, format, kDouble, "gather.hitNs", 0.01).workUs -
           trafficWith(seen, format, kDouble, "gather.hitNs", 0.0001).workUs;
  };
  CHECK(moreUs("csr5") > 2 * moreUs("csr-merge"));
  CHECK(moreUs("csr-merge") > 0);
}
