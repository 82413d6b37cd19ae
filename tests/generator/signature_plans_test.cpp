// That a signature is all that plans are made from.
#include "tests/generator/edge_matrices.h"

#include "models/signature/signature.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

TEST_CASE("plans are made from the signature alone: its text gives the same ones") {
  const Problem problem{ValueType::f64};
  for (const CsrMatrix &a : edgeMatrices()) {
    const SparsityProfile seen = profile(a.view());
    const SparsityProfile read = llvm::cantFail(parseProfile(serializeProfile(seen), "test"));
    for (const Fixed &fixed : fixedSets()) {
      const auto mine = llvm::cantFail(offers({seen, problem, h200(), fixed}, {}));
      const auto theirs = llvm::cantFail(offers({read, problem, h200(), fixed}, {}));
      for (size_t f = 0; f < mine.size(); ++f) {
        CHECK(mine[f].why == theirs[f].why);
        REQUIRE(mine[f].plans.size() == theirs[f].plans.size());
        for (size_t i = 0; i < mine[f].plans.size(); ++i) {
          CHECK(mine[f].plans[i].text() == theirs[f].plans[i].text());
          CHECK(trafficOf(seen, mine[f].plans[i], problem) ==
                trafficOf(read, theirs[f].plans[i], problem));
        }
      }
    }
  }
}
