// Tests the plans of a matrix, one after another on the GPU: each must be right and must have a
// time.
#include "runtime/lab/evaluate/measured.h"
#include "tests/gpu/gpu.h"

#include "models/lab/families/families.h"

#include <doctest/doctest.h>

using namespace specmv;

TEST_CASE("a sweep times plans of every format, and no more of one than asked for") {
  Machine machine = gpuMachine();
  const CsrMatrix a = llvm::cantFail(generateFamily("random:rows=3000,k=9,spread=0.6"));
  for (const size_t most : {1, 2}) {
    const Sweep found = llvm::cantFail(sweep(a.view(), {}, machine, {.mostOfAFormat = most}));
    CHECK_FALSE(found.isWrong);
    CHECK(found.left == std::vector<std::string>());
    CHECK(found.measured.profile == profile(a.view()));
    CHECK(found.measured.decisionUs > 0);
    CHECK(found.measured.profileUs > 0);
    std::map<std::string, size_t> plans;
    size_t replays = 0;
    for (const MeasuredPlan &each : found.measured.plans) {
      CAPTURE(each.plan.text());
      CHECK(++plans[each.plan.format] <= most);
      CHECK(each.us > 0);
      CHECK(each.us < 1e5);
      if (each.usReplay != 0) // it could be captured
        CHECK(each.usReplay < 1.2 * each.us);
      replays += each.usReplay > 0 ? 1 : 0;
    }
    CHECK(2 * replays > found.measured.plans.size());
    for (const Offer &offer : found.ranked.offers)
      CHECK(plans.contains(offer.format->name) == !offer.plans.empty());
  }
}
