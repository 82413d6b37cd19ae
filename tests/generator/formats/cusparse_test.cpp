// Tests of cuSPARSE's formats: the calls' arguments, the accepted matrices, and the arrays, entry
// by entry.
#include "tests/generator/formats/one_format.h"
#include "tests/generator/layout_numbers.h"
#include "tests/text.h"

#include "generator/formats/cusparse/layout.h"

#include <doctest/doctest.h>

#include <map>

using namespace specmv;
using namespace specmv::testing;

namespace {

const std::vector<std::string> kNames = {"cusparse-csr",     "cusparse-csr1",    "cusparse-csr2",
                                         "cusparse-coo",     "cusparse-sell",    "cusparse-bsr",
                                         "cusparse-op",      "cusparse-op1",     "cusparse-op2",
                                         "cusparse-generic", "cusparse-generic1"};

Plan cusparsePlan(const char *format, const std::vector<std::pair<PlanName, int64_t>> &numbers,
                  int64_t bits = 32) {
  Plan plan{format, numbers};
  plan.integers.insert(plan.integers.end(), {{"offset", bits}, {"column", bits}});
  return plan;
}

// The plan numbers that belong to this format.
std::vector<std::pair<PlanName, int64_t>> ownNumbers(const std::string &format) {
  if (format == "cusparse-sell")
    return {{"slice", 32}};
  if (format == "cusparse-bsr")
    return {{"bsr.size", 2}};
  return {};
}

// The row and column of each entry, with the value that the layout stores for it.
using Entries = std::map<std::pair<int64_t, int64_t>, double>;

Entries summedEntriesOf(const CsrMatrix &a) {
  const Valued valued(a.view(), ValueType::f64, 1);
  Entries out;
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
      out[{i, a.col[e]}] += valued[e];
  return out;
}

// Reads sliced ELL as cuSPARSE documents it; fails on wrong padding.
Entries readSell(const Layout &layout, int64_t rows) {
  Entries out;
  const int64_t slice = layout.integer("slice");
  const auto offsets = numbersOf(layout, "sliceOffsets"), col = numbersOf(layout, "col");
  const double *val = layout.find("val")->as<double>();
  for (int64_t s = 0; s + 1 < std::ssize(offsets); ++s)
    for (int64_t at = offsets[s]; at < offsets[s + 1]; ++at) {
      const int64_t row = s * slice + (at - offsets[s]) % slice;
      if (col[at] >= 0)
        out[{row, col[at]}] += val[at];
      CHECK((col[at] >= 0 ? row < rows : col[at] == -1 && val[at] == 0));
    }
  return out;
}

// Reads BSR with blocks stored row by row; zeros are not entries.
Entries readBsr(const Layout &layout) {
  Entries out;
  const int64_t size = layout.integer("size");
  const auto rowPtr = numbersOf(layout, "rowPtr"), col = numbersOf(layout, "col");
  const double *val = layout.find("val")->as<double>();
  for (int64_t i = 0; i + 1 < std::ssize(rowPtr); ++i) {
    CHECK(std::is_sorted(col.begin() + rowPtr[i], col.begin() + rowPtr[i + 1]));
    for (int64_t b = rowPtr[i]; b < rowPtr[i + 1]; ++b)
      for (int64_t e = 0; e < size * size; ++e)
        if (const double v = val[b * size * size + e]; v != 0)
          out[{i * size + e / size, col[b] * size + e % size}] = v;
  }
  return out;
}

const CsrMatrix &irregular() {
  static const CsrMatrix a = matrixOf("irregular", 126, 60, [](int64_t i) {
    Row row = i == 40 ? run(0, 60) : i >= 64 && i < 96 ? Row{} : scattered(i, i % 5, 60);
    std::reverse(row.begin(), row.end());
    if (row.size() == 3)
      row.push_back(row[0]);
    return row;
  });
  return a;
}

} // namespace

TEST_CASE("the table has cuSPARSE's formats: one call of their name each, and no source") {
  const CsrMatrix a = matrixOf("blocks", 64, 64, [](int64_t i) { return run(i / 4 * 4, 4); });
  for (const std::string &name : kNames) {
    CAPTURE(name);
    const Format *format = findFormat(name);
    REQUIRE(format);
    CHECK(std::string(format->library) == "cuSPARSE");
    const Offer offer = offerOf(a, name);
    REQUIRE(offer.plans.size() == 1);
    const Layout layout = llvm::cantFail(layoutOf(a, offer.plans[0]));
    const Steps steps = format->steps(offer.plans[0], {}, layout);
    REQUIRE(steps.size() == 1);
    REQUIRE(std::holds_alternative<LibraryCall>(steps[0].action));
    CHECK(std::get<LibraryCall>(steps[0].action).routine == name);
    CHECK(format->source(offer.plans[0], {}).text.empty());
    for (const char *number : {"rows", "cols"})
      CHECK(layout.integer(number) == 64);
    CHECK(layout.integer("nnz") == 256);
  }
  for (const Format &format : formats())
    CHECK((format.library != nullptr) ==
          (std::find(kNames.begin(), kNames.end(), format.name) != kNames.end()));
}

TEST_CASE("what breaks a promise is not chosen by itself, and the sentence names it") {
  for (const Format &format : formats()) {
    const std::string why = whyNotByItself(format);
    CHECK(why.empty() == (format.isDeterministic && !format.paddingReadsX));
    CHECK((why.empty() || contains(why, format.name)));
  }
  for (const char *name : {"cusparse-csr", "cusparse-csr1", "cusparse-coo"})
    CHECK_FALSE(findFormat(name)->isDeterministic);
  CHECK(findFormat("cusparse-bsr")->paddingReadsX);
  for (const char *name : {"cusparse-csr2", "cusparse-sell", "csr-vector", "ell", "hyb", "qcsr"})
    CHECK(whyNotByItself(*findFormat(name)) == "");
}

TEST_CASE("a matrix without rows, columns or entries is refused with its size") {
  const CsrMatrix nothing = matrixOf("nothing", 9, 7, [](int64_t) { return Row{}; });
  for (const std::string &name : kNames) {
    CAPTURE(name);
    const Offer offer = offerOf(nothing, name);
    CHECK(offer.plans.empty());
    CHECK(contains(offer.why, name));
    CHECK(contains(offer.why, "9 x 7 with 0"));
    const Plan plan = cusparsePlan(name.c_str(), ownNumbers(name));
    CHECK(contains(refusal(nothing, plan), "9 x 7 with 0"));
  }
}

TEST_CASE("offsets and columns have one width") {
  for (const std::string &name : kNames) {
    Plan plan = cusparsePlan(name.c_str(), ownNumbers(name));
    plan.set(key::kOffset, 64);
    CHECK(contains(refusal(irregular(), plan), "64-bit offsets and 32-bit columns"));
    for (const Plan &offered : offerOf(irregular(), name).plans)
      CHECK(offered.get(key::kOffset) == offered.get(key::kColumn));
  }
}

TEST_CASE("sliced ELL takes a matrix up to 20 elements of padding for each entry") {
  // A slice of width 14 stores 448: for 21 entries 427 of padding, over 420; for 22 426 of 440.
  const CsrMatrix over = matrixOf("over", 2, 14, [](int64_t i) { return run(0, i ? 7 : 14); });
  const CsrMatrix edge = matrixOf("edge", 2, 14, [](int64_t i) { return run(0, i ? 8 : 14); });
  const Plan plan = cusparsePlan("cusparse-sell", {{"slice", 32}});
  const Offer offer = offerOf(over, "cusparse-sell");
  CHECK(offer.plans.empty());
  for (const std::string &why : {offer.why, refusal(over, plan)})
    CHECK(contains(why, "448 elements for 21 entries"));
  CHECK(offerOf(edge, "cusparse-sell").plans.size() == 1);
  CHECK(static_cast<bool>(layoutOf(edge, plan)));
}

TEST_CASE("sliced ELL packs the example of NVIDIA's documentation as printed there") {
  const CsrMatrix a = matrixOf("documentation", 4, 4, [](int64_t i) {
    return std::vector<Row>{{0, 2, 3}, {1}, {0, 2, 3}, {1, 3}}[static_cast<size_t>(i)];
  });
  const Layout layout = llvm::cantFail(layoutOf(a, cusparsePlan("cusparse-sell", {{"slice", 2}})));
  CHECK(numbersOf(layout, "sliceOffsets") == std::vector<int64_t>{0, 6, 12});
  CHECK(numbersOf(layout, "col") == std::vector<int64_t>{0, 1, 2, -1, 3, -1, 0, 1, 2, 3, 3, -1});
}

TEST_CASE("sliced ELL holds every entry once, and pads with column -1 and 0") {
  for (int64_t slice : {1, 2, 3, 32, 50})
    for (int64_t bits : {32, 64}) {
      const Layout layout = llvm::cantFail(
          layoutOf(irregular(), cusparsePlan("cusparse-sell", {{"slice", slice}}, bits)));
      CHECK(readSell(layout, irregular().rows) == summedEntriesOf(irregular()));
    }
}

TEST_CASE("BSR holds every entry in its block, repeated ones added up") {
  for (int64_t size : {2, 3, 6}) // of 126 x 60
    for (int64_t bits : {32, 64}) {
      CAPTURE(size);
      const Layout layout = llvm::cantFail(
          layoutOf(irregular(), cusparsePlan("cusparse-bsr", {{"bsr.size", size}}, bits)));
      Entries want = summedEntriesOf(irregular());
      for (auto it = want.begin(); it != want.end();)
        it = it->second == 0 ? want.erase(it) : std::next(it);
      CHECK(readBsr(layout) == want);
    }
  CHECK(
      contains(refusal(irregular(), cusparsePlan("cusparse-bsr", {{"bsr.size", 4}})), "126 x 60"));
}

TEST_CASE("BSR is offered with the blocks of fewest bytes, where they are fewer than CSR's") {
  const CsrMatrix blocks =
      matrixOf("4 x 4 blocks", 96, 96, [](int64_t i) { return run(i / 4 * 4, 4); });
  CHECK(offerOf(blocks, "cusparse-bsr").plans.at(0).get(key::kBsrSize) == 4);
  CHECK(offerOf(blocks, "cusparse-bsr", {{"bsr.size", 2}}).plans.at(0).get(key::kBsrSize) == 2);
  const CsrMatrix lonely = matrixOf("diagonal", 96, 96, [](int64_t i) { return run(i, 1); });
  const Offer refused = offerOf(lonely, "cusparse-bsr");
  CHECK(refused.plans.empty());
  CHECK(contains(refused.why, "2 x 2"));
  CHECK(offerOf(lonely, "cusparse-bsr", {{"bsr.size", 4}}).plans.size() == 1);
  const CsrMatrix odd = matrixOf("odd", 97, 97, [](int64_t i) { return run(i, 1); });
  CHECK(contains(offerOf(odd, "cusparse-bsr").why, "97 x 97"));
}

TEST_CASE("COO has the row of every entry, and the columns of CSR") {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < irregular().rows; ++i)
    rows.insert(rows.end(), static_cast<size_t>(irregular().rowPtr[i + 1] - irregular().rowPtr[i]),
                i);
  for (int64_t bits : {32, 64}) {
    const Layout layout =
        llvm::cantFail(layoutOf(irregular(), cusparsePlan("cusparse-coo", {}, bits)));
    CHECK(numbersOf(layout, "row") == rows);
    CHECK(numbersOf(layout, "col") ==
          std::vector<int64_t>(irregular().col.begin(), irregular().col.end()));
    CHECK_FALSE(layout.find("rowPtr"));
  }
}
