// Tests of which plans a trial runs: close ones, few per format, and only if that can pay off.
#include "generator/rank.h"

#include <doctest/doctest.h>

#include <limits>
#include <set>

using namespace specmv;

namespace {

using Positions = std::vector<size_t>;

// Each further plan has the same cost; the first costs a tenth of it.
Positions tried(const std::vector<Foreseen> &ranked, int64_t products, double costUs) {
  return plansToTry(ranked, products, [&](size_t i) { return i == 0 ? costUs / 10 : costUs; });
}

} // namespace

TEST_CASE("a trial runs the plans near the best prediction: three in all, two of a format") {
  struct Case {
    std::vector<Foreseen> ranked;
    Positions tried;
  };
  for (const Case &c : {
           Case{{}, {}},
           {{{"dia", 10}}, {0}},
           {{{"dia", 10}, {"ell", 11.01}, {"jad", 12}}, {0}}, // none is near
           {{{"dia", 10}, {"ell", 11}}, {0, 1}},
           {{{"dia", 10}, {"ell", 10.1}, {"jad", 10.2}, {"sell", 10.3}}, {0, 1, 2}},
           {{{"dia", 10}, {"dia", 10.1}, {"dia", 10.2}, {"dia", 10.3}}, {0, 1}},
           {{{"dia", 10}, {"dia", 10.1}, {"dia", 10.2}, {"ell", 10.3}}, {0, 1, 3}},
           {{{"dia", 10}, {"ell", 10.1}, {"ell", 10.2}, {"dia", 10.3}}, {0, 1, 2}},
           {{{"dia", 0}, {"ell", 0}}, {0, 1}},
           // In the order of totals, which may differ from that of the products.
           {{{"csr-merge", 10}, {"dia", 7}, {"ell", 12}, {"jad", 10.5}}, {0, 1, 3}},
       })
    CHECK(tried(c.ranked, 0, 1e9) == c.tried);
}

TEST_CASE("a plan is tried where its possible gain exceeds what the trial of it costs") {
  // The possible gain of a product: 1 us for the second plan, 0.5 us for the third.
  const std::vector<Foreseen> ranked{{"dia", 10}, {"ell", 10}, {"jad", 10.5}};
  CHECK(tried(ranked, 1, 500) == Positions{0});
  CHECK(tried(ranked, 10, 500) == Positions{0});
  CHECK(tried(ranked, 549, 500) == Positions{0}); // the first must be timed, too
  CHECK(tried(ranked, 551, 500) == Positions{0, 1});
  CHECK(tried(ranked, 999, 500) == Positions{0, 1});
  CHECK(tried(ranked, 1001, 500) == Positions{0, 1, 2});
  CHECK(tried(ranked, 1'000'000, 500) == Positions{0, 1, 2});
  CHECK(tried(ranked, 1'000'000, 1e6) == Positions{0}); // a set-up that nothing can gain back
  CHECK(tried(ranked, std::numeric_limits<int64_t>::max(), 1e6) == Positions{0, 1, 2});
}

TEST_CASE("a dear plan leaves its place to the next, and a plan that cannot be had does too") {
  const std::vector<Foreseen> ranked{{"dia", 10}, {"ell", 10}, {"jad", 10}, {"sell", 10}};
  const auto triedAt = [&](double ellUs, int64_t products) {
    return plansToTry(ranked, products, [&](size_t i) { return i == 1 ? ellUs : 100; });
  };
  CHECK(triedAt(1e6, 1000) == Positions{0, 2, 3});
  CHECK(triedAt(100, 1000) == Positions{0, 1, 2});
  CHECK(triedAt(std::numeric_limits<double>::infinity(), 0) == Positions{0, 2, 3});
}

TEST_CASE("costs are asked of near plans only, which may need a look at the disk") {
  std::set<size_t> asked;
  const std::vector<Foreseen> ranked{{"dia", 10}, {"ell", 20}, {"jad", 10}, {"sell", 30}};
  plansToTry(ranked, 1000, [&](size_t i) {
    asked.insert(i);
    return 1.0;
  });
  CHECK(asked == std::set<size_t>{0, 2});
}
