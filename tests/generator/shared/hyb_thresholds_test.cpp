// Tests of the thresholds K that HYB offers: the PMF paper's first, and the row share's.
#include "generator/shared/lengths.h"
#include "tests/generator/formats/one_format.h"
#include "tests/text.h"

#include "models/lab/families/families.h"
#include "models/predict/pmf/pmf.h"
#include "models/predict/strips/strips.h"

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
      CHECK(offer.plans[0].get(key::kHybK, -1) == k);
      seen += k > 0;
    }
  CHECK(seen > 10);
}

TEST_CASE("HYB offers the row share's K where it is a third one") {
  const CsrMatrix a = llvm::cantFail(generateFamily("powerlaw:rows=30000"));
  const int64_t k = hybThresholdOfRowShare(profile(a.view()));
  const std::vector<Plan> plans = offerOf(a, "hyb").plans;
  CHECK(k > 0);
  CHECK(llvm::count_if(plans, [&](const Plan &p) { return p.get(key::kHybK) == k; }) == 1);
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
    CHECK((fixed.plans[0].get(key::kHybK) == k && fixed.plans[0].get(key::kHybTail) == 0));
  }
  for (const CsrMatrix &a : edgeMatrices())
    for (const Plan &plan : offerOf(a, "hyb").plans)
      CHECK(plan.get(key::kHybTail) == 1);
}
