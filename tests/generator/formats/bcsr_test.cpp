// Tests of BCSR: the positions of its entries, its masks, its refusals, and the block shapes that
// it offers.
#include "generator/formats/bcsr/layout.h"
#include "templates/pack/bcsr_sizes.cuh"
#include "tests/generator/formats/one_format.h"
#include "tests/generator/layout_numbers.h"
#include "tests/text.h"

#include "models/lab/families/families.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

// Reads entries back from a layout as the kernel does: lane by lane, block by block.
class Reader {
public:
  Reader(const Layout &layout, const Plan &plan, int64_t rows)
      : layout_(layout), r_(plan.get(key::kBcsrR)), c_(plan.get(key::kBcsrC)),
        lanes_(plan.get(key::kBcsrLanes)), rows_(rows), full_(plan.get(key::kBcsrFull) != 0),
        local_(plan.get(key::kBcsrLocal) != 0) {}

  // Returns the slot of each entry by its (row, column).
  std::vector<std::tuple<int64_t, int64_t, int64_t>> entries() {
    for (int64_t blockRow = 0; blockRow * r_ < rows_; ++blockRow)
      for (int64_t lane = 0; lane < lanes_; ++lane)
        readLane(blockRow, lane);
    return std::move(out_);
  }

private:
  int64_t at(const char *name, int64_t i) const { return numberAt(*layout_.find(name), i); }

  void readLane(int64_t blockRow, int64_t lane) {
    int64_t step = at("sliceStart", blockRow / (32 / lanes_));
    const int64_t place = blockRow % (32 / lanes_) * lanes_ + lane;
    for (int64_t k = lane; k < at("blocks", blockRow); k += lanes_, ++step) {
      const int64_t origin = local_ ? blockRow * r_ / c_ - 32768 : 0;
      const int64_t column = origin + at("col", step * 32 + place);
      const auto mask = full_ ? ~uint64_t{0} : static_cast<uint64_t>(at("mask", step * 32 + place));
      for (int64_t bit = 0; bit < r_ * c_; ++bit)
        if (mask >> bit & 1)
          out_.emplace_back(blockRow * r_ + bit % r_, column * c_ + bit / r_,
                            (step * r_ * c_ + bit) * 32 + place);
    }
  }

  const Layout &layout_;
  int64_t r_, c_, lanes_, rows_;
  bool full_, local_;
  std::vector<std::tuple<int64_t, int64_t, int64_t>> out_;
};

CsrMatrix fullBlocks(int64_t rows, int64_t cols, int64_t r, int64_t c) {
  return matrixOf("full blocks", rows, cols, [=](int64_t i) {
    Row row;
    for (int32_t block : scattered(i / r, 7, cols / c))
      for (int64_t j = 0; j < c; ++j)
        row.push_back(static_cast<int32_t>(block * c + j));
    return row;
  });
}

} // namespace

TEST_CASE("what the kernel finds in BCSR's arrays is each entry once, in its slot") {
  std::set<std::string> masks, columns;
  const std::vector<Fixed> sets = {{},
                                   {{"bcsr.r", 3}, {"bcsr.c", 5}, {"bcsr.lanes", 4}},
                                   {{"bcsr.r", 8}, {"bcsr.c", 8}},
                                   {{"bcsr.r", 2}, {"bcsr.c", 3}, {"bcsr.lanes", 32}},
                                   {{"bcsr.r", 4}, {"bcsr.c", 7}},
                                   {{"bcsr.r", 1}, {"bcsr.c", 2}, {"bcsr.lanes", 16}}};
  std::vector<CsrMatrix> matrices = edgeMatrices();
  matrices.push_back(
      matrixOf("wide", 40, 90000, [](int64_t i) { return scattered(i, 30, 90000); }));
  for (const CsrMatrix &a : matrices)
    for (const auto &[format, plan] : plansOf(a.view(), kDouble, sets)) {
      if (std::string(format->name) != "bcsr")
        continue;
      const std::string planText = plan.text();
      CAPTURE(a.name);
      CAPTURE(planText);
      const Layout layout = llvm::cantFail(layoutOf(a, plan));
      std::vector<std::tuple<int64_t, int64_t, int64_t>> want;
      for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
          want.emplace_back(i, a.col[e], layout.slots[static_cast<size_t>(e)]);
      std::sort(want.begin(), want.end());
      want.erase(std::unique(want.begin(), want.end()), want.end()); // repeats share a slot
      auto got = Reader(layout, plan, a.rows).entries();
      std::sort(got.begin(), got.end());
      CHECK(got == want);
      masks.insert(layout.find("mask") ? nameOf(layout.find("mask")->type) : "none");
      columns.insert(nameOf(layout.find("col")->type));
    }
  CHECK(masks == std::set<std::string>{"none", "u8", "u16", "i32", "i64"});
  CHECK(columns == std::set<std::string>{"u16", "i32"});
}

TEST_CASE("of the offered shapes, the one that stores the fewest bytes is first, without masks") {
  struct Case {
    int64_t r, c;
  };
  for (const Case &block : {Case{3, 3}, {2, 2}, {4, 4}, {3, 6}, {1, 5}, {2, 5}, {7, 7}}) {
    CAPTURE(block.r);
    CAPTURE(block.c);
    const CsrMatrix a = fullBlocks(840, 1680, block.r, block.c);
    for (ValueType type : kTypes) {
      const Plan plan = offerOf(a, "bcsr", {}, {type}).plans.at(0);
      CHECK(plan.get(key::kBcsrR) == block.r);
      CHECK(plan.get(key::kBcsrC) == block.c);
      CHECK(plan.get(key::kBcsrFull) == 1);
      CHECK(plan.get(key::kBcsrLocal) == 1);
    }
  }
}

TEST_CASE("the bytes of full blocks in equal block rows are foretold exactly") {
  const CsrMatrix a = fullBlocks(3 * 32 * 5, 900, 3, 3);
  const Plan plan = offerOf(a, "bcsr", {{"bcsr.lanes", 1}}).plans.at(0);
  const Layout layout = llvm::cantFail(layoutOf(a, plan));
  CHECK(layout.storedBytes() == 160 * 7 * (9 * 8 + 2) + 160 * 4 + 5 * 4);
  CHECK(trafficOf(a, plan).storedBytes == layout.storedBytes());
}

TEST_CASE("a plan of full blocks is refused where one is not, also if a repeated entry hides it") {
  const CsrMatrix whole = fullBlocks(300, 900, 3, 3);
  CsrMatrix a = whole;
  const Plan plan = offerOf(a, "bcsr").plans.at(0);
  REQUIRE(plan.get(key::kBcsrFull) == 1);
  a.col.erase(a.col.begin() + 100);
  for (int32_t &begin : a.rowPtr)
    begin -= begin > 100;
  CHECK(contains(refusal(a, plan), "6299 entries in 700 blocks of 3 x 3"));
  CsrMatrix hidden = whole;
  hidden.col[100] = hidden.col[101];
  CHECK(contains(refusal(hidden, plan), "repeat"));
  CHECK(static_cast<bool>(layoutOf(hidden, planWith(plan, "full", 0))));
}

TEST_CASE("16-bit columns are planned by the bandwidth and refused where they do not reach") {
  const auto cornersOf = [](int64_t n) {
    return matrixOf("corners", n, n, [=](int64_t i) {
      return i < 2 ? run(n - 4, 4) : i >= n - 2 ? run(0, 4) : run(i / 4 * 4, 4);
    });
  };
  const CsrMatrix near = cornersOf(130000), far = cornersOf(140000); // times 1/4: 32500 and 35000
  const Fixed fixed{{"bcsr.r", 2}, {"bcsr.c", 4}};
  const Plan nearPlan = offerOf(near, "bcsr", fixed).plans.at(0),
             farPlan = offerOf(far, "bcsr", fixed).plans.at(0);
  CHECK(nearPlan.get(key::kBcsrLocal) == 1);
  CHECK(farPlan.get(key::kBcsrLocal) == 0);
  CHECK(static_cast<bool>(layoutOf(near, nearPlan)));
  CHECK(static_cast<bool>(layoutOf(far, farPlan)));
  CHECK(contains(refusal(far, nearPlan), "16-bit"));
}

TEST_CASE("where only a sample says that blocks are full, plans with masks stand by") {
  const CsrMatrix sampled = fullBlocks(9000, 9000, 3, 3);
  REQUIRE(sampled.nnz() > 1 << 16);
  const Offer offer = offerOf(sampled, "bcsr", {{"bcsr.lanes", 1}});
  REQUIRE(offer.plans.size() == 2);
  CHECK(offer.plans[0].get(key::kBcsrFull) == 1);
  CHECK(offer.plans[1].get(key::kBcsrFull, -1) == 0);
  CHECK(trafficOf(sampled, offer.plans[0]).storedBytes <
        trafficOf(sampled, offer.plans[1]).storedBytes);
}

TEST_CASE("full blocks of any side are found in a sample, though it cuts those of 5 and 7 rows") {
  for (int64_t side = 2; side <= 8; ++side) {
    CAPTURE(side);
    const CsrMatrix sampled = fullBlocks(840 * 30, 840 * 30, side, side);
    REQUIRE(sampled.nnz() > 4 << 16);
    const Fixed sides{{"bcsr.lanes", 1},
                      {"bcsr.r", static_cast<double>(side)},
                      {"bcsr.c", static_cast<double>(side)}};
    const Plan plan = offerOf(sampled, "bcsr", sides).plans.at(0);
    CHECK(plan.get(key::kBcsrFull) == 1);
  }
}

// A former bug: every block of one column has full rows, so blocks of 7 rows that were full to six
// sevenths were planned without masks, refused, and replaced by a slower plan.
TEST_CASE("blocks of 7 rows and one column are not taken for full because their rows are") {
  CsrMatrix a;
  a.name = "groups of 40 equal rows";
  a.rows = a.cols = 40 * 200;
  a.rowPtr = {0};
  for (int32_t row = 0; row < a.rows; ++row) {
    for (int32_t k = 0; k < 10; ++k)
      a.col.push_back(row / 40 * 40 + 3 * k);
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  a.val.assign(a.col.size(), 1);
  for (const Plan &plan : offerOf(a, "bcsr", {{"bcsr.r", 7}, {"bcsr.c", 1}}).plans)
    CHECK(plan.get(key::kBcsrFull) == 0);
}

TEST_CASE("blocks that would store much more than CSR are refused unless a side is fixed") {
  const CsrMatrix lonely =
      matrixOf("lonely", 4000, 4000, [](int64_t i) { return run(i * 1597 % 4000, 1); });
  const Offer offer = offerOf(lonely, "bcsr");
  CHECK(offer.plans.empty());
  CHECK(contains(offer.why, "full to 0.50"));
  CHECK(contains(offer.why, "the 64004 of CSR"));
  CHECK(offerOf(lonely, "bcsr", {{"bcsr.r", 2}, {"bcsr.c", 2}}).plans.size() == 1);
  const Offer largest = offerOf(lonely, "bcsr", {{"bcsr.r", 8}, {"bcsr.c", 8}});
  CHECK(largest.plans.empty());
  CHECK(contains(largest.why, "8 x 8"));
  CHECK(contains(largest.why, "4000 entries"));
}

// A former bug: the bytes of plain values were weighed, so that there was no plan.
TEST_CASE("blocks are weighed by what the coding of the values stores, and so is CSR") {
  const CsrMatrix lonely =
      matrixOf("lonely", 4000, 4000, [](int64_t i) { return run(i * 1597 % 4000, 1); });
  const Offer offer = offerOf(lonely, "bcsr", {}, kDouble, "ones");
  CHECK_FALSE(offer.plans.empty());
  for (const Plan &plan : offer.plans)
    CHECK(trafficOf(lonely, plan).storedBytes < 1.1 * (4000 * 4 + 4001 * 4));
}

TEST_CASE("BCSR: columns of blocks without a division, up to the largest column") {
  for (int c = 1; c <= kBcsrMaxSide; ++c)
    for (uint64_t block : {0ULL, 1ULL, 12345678ULL, 0x7fffffffULL / unsigned(c)})
      for (uint64_t col : {block * unsigned(c), block * unsigned(c) + unsigned(c) - 1})
        CHECK((col & 0x7fffffff) / unsigned(c) ==
              (col & 0x7fffffff) * bcsrFactor(c) >> bcsrShift(c));
}

TEST_CASE("BCSR: lines of a tile of full blocks are counted in steps without a division") {
  for (int places = 1; places <= kBcsrMaxSide * kBcsrMaxSide; ++places)
    for (int line = 0; line < kBcsrFullBytes / (32 * 4); ++line)
      CHECK(line / places == line * bcsrLineFactor(places) >> 16);
}
