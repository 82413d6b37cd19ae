// Tests that plans for fused steps are priced with what a step costs beside the product.
#include "generator/rank.h"
#include "models/base/error.h"
#include "tests/generator/edge_matrices.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

TEST_CASE("formats that cannot run a step cost a pass and a launch more, and others no more") {
  const GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  const CsrMatrix a = evenMatrix(20000, 9);
  const SparsityProfile seen = profile(a.view());
  const Fixed none;
  const Problem plain{ValueType::f64};
  Problem fused = plain;
  fused.isFused = true;
  size_t dearer = 0;
  for (const Format &format : formats()) {
    const PlanRequest one{seen, plain, gpu, none}, other{seen, fused, gpu, none};
    const auto before = priced(offerOf(format, one), one),
               after = priced(offerOf(format, other), other);
    REQUIRE(before.size() == after.size());
    for (size_t i = 0; i < before.size(); ++i) {
      CAPTURE(before[i].plan.text());
      if (format.fuses == Fuses::nothing)
        CHECK(after[i].predictedUs > before[i].predictedUs + 0.5);
      else
        CHECK(after[i].predictedUs == before[i].predictedUs);
      dearer += format.fuses == Fuses::nothing;
    }
  }
  CHECK(dearer > 0);
}
