// Tests of SELL: its arrays by hand, the bytes that the profile predicts, its refusals and its
// offers.
#include "generator/formats/sell/layout.h"
#include "tests/generator/formats/one_format.h"
#include "tests/generator/layout_numbers.h"
#include "tests/text.h"

#include "models/predict/traffic.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

// Rows of these lengths; row i has columns 10 i, 10 i + 1 ...
CsrMatrix rowsOf(const std::vector<int64_t> &lengths) {
  const auto rows = static_cast<int64_t>(lengths.size());
  return matrixOf("rows of given lengths", rows, 10 * rows,
                  [&](int64_t i) { return run(10 * i, lengths[static_cast<size_t>(i)]); });
}

Plan sellPlan(int64_t slice, int64_t sigma, int64_t lanes = 1) {
  return {"sell",
          {{"sell.slice", slice},
           {"sell.sigma", sigma},
           {"sell.lanes", lanes},
           {"block", 256},
           {"blocksPerSm", 0},
           {"offset", 32},
           {"column", 32}}};
}

// 20,000 rows of 0 to 12 entries, and occasionally a long one.
CsrMatrix manyRows() {
  return matrixOf("many rows", 20000, 100, [](int64_t i) {
    return run(i % 50, i % 977 == 5 ? 50 : (i * 7919 + i / 300) % 13);
  });
}

// Every 128th row has 600 entries, the others one.
CsrMatrix longRowInEverySlice() {
  return matrixOf("a long row in every slice", 4096, 600,
                  [](int64_t i) { return run(0, i % 128 == 0 ? 600 : 1); });
}

} // namespace

TEST_CASE("SELL stores slice by slice, each column by column and as wide as its longest row") {
  const Layout layout = llvm::cantFail(layoutOf(rowsOf({1, 3, 0, 2, 4}), sellPlan(2, 1)));
  CHECK(layout.find("perm") == nullptr);
  CHECK(numbersOf(layout, "sliceStart", ElementType::i32) == std::vector<int64_t>{0, 6, 10, 18});
  const std::vector<int64_t> columns = {0,  10, -1, 11, -1, 12, //
                                        -1, 30, -1, 31,         //
                                        40, -1, 41, -1, 42, -1, 43, -1};
  CHECK(numbersOf(layout, "col", ElementType::i32) == columns);
}

TEST_CASE("SELL sorts rows within each window and keeps their places in it") {
  const CsrMatrix a = rowsOf({1, 3, 0, 2, 4, 5});
  const Layout layout = llvm::cantFail(layoutOf(a, sellPlan(2, 4)));
  CHECK(numbersOf(layout, "perm", ElementType::u16) == std::vector<int64_t>{1, 3, 0, 2, 1, 0});
  CHECK(numbersOf(layout, "sliceStart", ElementType::i32) == std::vector<int64_t>{0, 6, 8, 18});
  CHECK(numbersOf(layout, "col", ElementType::i32) ==
        std::vector<int64_t>{10, 30, 11, 31, 12, -1, //
                             0, -1,                  //
                             50, 40, 51, 41, 52, 42, 53, 43, 54, -1});
}

TEST_CASE("SELL's bytes are foretold exactly where the profile counts them, else bounded") {
  const CsrMatrix a = manyRows();
  const SparsityProfile seen = profile(a.view());
  REQUIRE(seen.slices.size() > 10);
  auto stored = [&](int64_t slice, int64_t sigma, auto &&check) {
    CAPTURE(slice);
    CAPTURE(sigma);
    const Fixed fixed{{"sell.slice", slice}, {"sell.sigma", sigma}, {"sell.lanes", 1}};
    const Offer offer = offerOf(seen, "sell", fixed);
    REQUIRE(offer.plans.size() == 1);
    const Plan &plan = offer.plans[0];
    check(trafficOf(seen, plan, kDouble).storedBytes,
          llvm::cantFail(layoutOf(a, plan)).storedBytes());
  };
  for (const SliceCount &count : seen.slices)
    if (count.window == 1 || count.window >= count.slice)
      stored(count.slice, count.window, [](int64_t told, int64_t is) { CHECK(told == is); });
  for (const auto &[slice, sigma] :
       {std::pair{256, 1}, {256, 1024}, {32, 256}, {8, 8}, {128, 4096}, {2, 65536}})
    stored(slice, sigma, [](int64_t told, int64_t is) { CHECK(told >= is); });
}

TEST_CASE("SELL refuses padding beyond ELL's limit, by the profile and by the matrix") {
  const CsrMatrix a = longRowInEverySlice();
  const SparsityProfile seen = profile(a.view());
  const Offer offer = offerOf(seen, "sell", {{"sell.slice", 128}, {"sell.sigma", 1}});
  CHECK(offer.plans.empty());
  for (const char *part : {"128", "23264", "16"}) // rows of a slice, entries, slots an entry
    CHECK(contains(offer.why, part));
  CHECK_FALSE(offerOf(seen, "sell").plans.empty());
  CHECK_FALSE(refusal(a, sellPlan(128, 1)).empty());
  CHECK(static_cast<bool>(layoutOf(a, sellPlan(128, 4096))));
}

TEST_CASE("a plan of SELL with numbers that do not go together is refused with them") {
  const CsrMatrix a = rowsOf({1, 3, 0, 2, 4});
  struct Case {
    Plan plan;
    const char *part;
  };
  for (const Case &c : {Case{sellPlan(8, 4), "sell.sigma = 4"},
                        {sellPlan(16, 1, 4), "sell.lanes = 4"},
                        {sellPlan(64, 1, 2), "sell.lanes = 2"},
                        {sellPlan(3, 1), "sell.slice = 3"},
                        {sellPlan(32, 131072), "sell.sigma = 131072"},
                        {planWith(sellPlan(256, 1), "block", 128), "block = 128"},
                        {planWith(sellPlan(32, 1), "blocksPerSm", 9), "blocksPerSm = 9"}}) {
    const std::string sentence = refusal(a, c.plan);
    CAPTURE(sentence);
    CHECK(contains(sentence, c.part));
  }
}

TEST_CASE("SELL offers a few plans, the fastest first, and sorts only where that spares slots") {
  for (const CsrMatrix &a : {evenMatrix(5000, 7), manyRows(), longRowInEverySlice()}) {
    CAPTURE(a.name);
    const Offer offer = offerOf(a, "sell");
    CHECK(offer.plans.size() >= 2);
    CHECK(offer.plans.size() <= 4);
    bool sorts = false;
    for (size_t i = 0; i < offer.plans.size(); ++i) {
      const Plan &plan = offer.plans[i];
      sorts |= plan.get(key::kSellSigma) > 1;
      if (i > 0)
        CHECK(predictUs(trafficOf(a, offer.plans[i - 1]), h200()) <=
              predictUs(trafficOf(a, plan), h200()));
    }
    CHECK(sorts == (a.name != "even"));
  }
}

TEST_CASE("SELL is predicted to be slower than ELL on even rows, faster where ELL pads") {
  auto best = [](const CsrMatrix &a, const char *format) {
    double least = 1e300;
    for (const Plan &plan : offerOf(a, format).plans)
      least = std::min(least, predictUs(trafficOf(a, plan), h200()));
    return least;
  };
  const CsrMatrix even = evenMatrix(200000, 7);
  CHECK(best(even, "ell") < best(even, "sell"));
  const CsrMatrix uneven =
      matrixOf("uneven", 200000, 300000, [](int64_t i) { return run(i, i % 7 == 0 ? 24 : 6); });
  CHECK(best(uneven, "sell") < 0.8 * best(uneven, "ell"));
}

TEST_CASE("threads of a small matrix get more registers than those of a large one") {
  auto bounds = [](int64_t rows) {
    const Offer offer = offerOf(evenMatrix(rows, 1), "sell", {{"sell.slice", 32}});
    const std::string text = offer.format->source(offer.plans.at(0), kDouble).text;
    const size_t begin = text.find("__launch_bounds__");
    return text.substr(begin, text.find(')', begin) + 1 - begin);
  };
  CHECK(bounds(1000) == "__launch_bounds__(256, 4)");
  CHECK(bounds(5 * 132 * 256) == "__launch_bounds__(256, 6)");
  CHECK(bounds(7 * 132 * 256) == "__launch_bounds__(256)");
}
