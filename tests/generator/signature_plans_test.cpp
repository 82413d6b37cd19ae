// Tests that plans are made from a signature alone.
#include "generator/formats/bcsr/layout.h"
#include "generator/formats/dia/layout.h"
#include "tests/generator/edge_matrices.h"

#include "models/signature/signature.h"

#include <doctest/doctest.h>

#include <limits>
#include <numeric>
#include <vector>

using namespace specmv;
using namespace specmv::testing;

// Makes a plan with that format for a matrix with as many columns as an index can number, whose
// rows have one entry each.
static Plan planOfFar(const char *format, const std::vector<int64_t> &col) {
  std::vector<int64_t> rowPtr(col.size() + 1);
  std::iota(rowPtr.begin(), rowPtr.end(), 0);
  const auto rows = static_cast<int64_t>(col.size());
  const CsrView a{rows,           std::numeric_limits<int64_t>::max(),
                  rows,           IndexType::i64,
                  ValueType::f64, rowPtr.data(),
                  col.data(),     nullptr};
  for (const FormatPlan &each : plansOf(a, {}, {{}, {{"bcsr.r", 2}, {"bcsr.c", 1}}}))
    if (each.plan.format == format)
      return each.plan;
  FAIL("no plan of ", format);
  return {};
}

// A former bug: sums with numbers of this size overflowed.
TEST_CASE("a matrix with as many columns as an index can number gets right plans") {
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max() - 1;
  // Each diagonal has one place, and an entry there.
  CHECK(planOfFar("dia", {kLast, 0}).get(key::kDiaHoles) == 0);
  std::vector<int64_t> pairs; // full blocks of two rows
  for (int64_t i = 0; i < 64; ++i)
    pairs.push_back(kLast - i / 2);
  CHECK(planOfFar("bcsr", pairs).get(key::kBcsrLocal) == 0);
}

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
