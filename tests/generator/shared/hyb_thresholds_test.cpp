// Tests of the thresholds K that HYB offers: the PMF paper's first, and the row share's.
#include "generator/shared/hyb_thresholds.h"
#include "tests/generator/formats/one_format.h"
#include "tests/text.h"

#include "models/families/families.h"
#include "models/predict/pmf/pmf.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

TEST_CASE("HYB's first plan has the PMF paper's K on the device") {
  std::vector<CsrMatrix> matrices = edgeMatrices();
  matrices.push_back(matrixOf("one long row", 320, 600,
                              [](int64_t i) { return i == 151 ? run(0, 600) : run(i, 2); }));
  int seen = 0;
  for (const CsrMatrix &a : matrices)
    for (ValueType type : kTypes) {
      const SparsityProfile p = profile(a.view());
      const int64_t k = pmfHybKOnDevice({p.lengths, p.rows, p.cols, type}, h200());
      const Offer offer = offerOf(a, "hyb", {}, {type});
      CAPTURE(a.name);
      CAPTURE(k);
      if (offer.plans.empty()) {
        CHECK_FALSE(offer.why.empty());
        continue;
      }
      CHECK(offer.plans[0].get("hyb.k", -1) == k);
      seen += k > 0;
    }
  CHECK(seen > 10);
}

TEST_CASE("the row share's K is the largest that max(4096, N / 3) rows reach") {
  const auto kOf = [](std::vector<LengthCount> lengths) {
    SparsityProfile p;
    for (const LengthCount &l : lengths)
      p.rows += l.rows;
    p.lengths = std::move(lengths);
    return hybThresholdOfRowShare(p);
  };
  CHECK(kOf({}) == 0);
  CHECK(kOf({{7, 4095}}) == 0);
  CHECK(kOf({{7, 4096}}) == 7);
  CHECK(kOf({{0, 10000}, {3, 4096}}) == 0);        // a third are 4,699 rows
  CHECK(kOf({{0, 8192}, {3, 4095}, {9, 1}}) == 3); // 4,096 of 12,288
  CHECK(kOf({{0, 8193}, {3, 4095}, {9, 1}}) == 0); // less than a third of 12,289
  CHECK(kOf({{2, 8000}, {5, 4000}, {1000, 8000}}) == 1000);
  CHECK(kOf({{2, 12000}, {5, 4000}, {1000, 4000}}) == 5); // 6,667 of 20,000
}

TEST_CASE("HYB offers the row share's K where it is a third one") {
  const CsrMatrix a = llvm::cantFail(generateFamily("powerlaw:rows=30000"));
  const int64_t k = hybThresholdOfRowShare(profile(a.view()));
  const std::vector<Plan> plans = offerOf(a, "hyb").plans;
  CHECK(k > 0);
  CHECK(llvm::count_if(plans, [&](const Plan &p) { return p.get("hyb.k") == k; }) == 1);
}

TEST_CASE("HYB is not offered where it would be ELL, unless its K was asked for") {
  const CsrMatrix even = evenMatrix(400, 7);
  const Offer offer = offerOf(even, "hyb");
  CHECK(offer.plans.empty());
  CHECK(contains(offer.why, "hyb.k = 7"));
  CHECK(contains(offer.why, "ell"));
  for (int64_t k : {7, 8}) {
    const Offer fixed = offerOf(even, "hyb", {{"hyb.k", static_cast<double>(k)}});
    REQUIRE(fixed.plans.size() == 1);
    CHECK((fixed.plans[0].get("hyb.k") == k && fixed.plans[0].get("tail") == 0));
  }
  for (const CsrMatrix &a : edgeMatrices())
    for (const Plan &plan : offerOf(a, "hyb").plans)
      CHECK(plan.get("tail") == 1);
}
