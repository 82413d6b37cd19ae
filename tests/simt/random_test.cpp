// Runs random plans on random matrices, and each plan also on matrices for which it was not made:
// there it must be refused or right.
#include "tests/simt/random_plans.h"
#include "tests/simt/reference.h"
#include "tests/simt/run.h"

#include <cmath>

using namespace specmv;
using namespace specmv::simt;

namespace {

// Returns the first row that differs from the reference; empty if none does.
std::string firstDifference(const std::vector<double> &y, const Reference &expected) {
  for (size_t i = 0; i < y.size(); ++i)
    if (static_cast<long double>(y[i]) != expected.y[i])
      return "row " + std::to_string(i) + " is " + std::to_string(y[i]);
  return "";
}

void checkProduct(Run &run, uint64_t seed) {
  const bool readsY = run.test.problem.betaCanBeNonZero;
  const double beta = readsY && seed % 3 != 0 ? -3 : 0;
  const std::vector<double> x = integers(vectorX, run.a.cols);
  const std::vector<double> y =
      beta == 0 ? std::vector<double>(static_cast<size_t>(run.a.rows), std::nan(""))
                : integers(vectorY, run.a.rows);
  const Reference expected = reference(run.a, run.own, 2, x, beta, y, run.type);
  const std::string wrong =
      firstDifference(run.multiply(2, beta, x, y, static_cast<unsigned>(seed % 5)), expected);
  CHECK_MESSAGE(wrong.empty(), "beta ", beta, ": ", wrong);
}

// A NaN in one column of x must reach exactly the rows with an entry there.
void checkNaNReach(Run &run, uint64_t seed) {
  const auto column = static_cast<size_t>(seed % static_cast<uint64_t>(run.a.cols));
  std::vector<bool> marked(static_cast<size_t>(run.a.cols), false);
  marked[column] = true;
  std::vector<double> x = integers(vectorX, run.a.cols);
  x[column] = std::nan("");
  const std::vector<double> y(static_cast<size_t>(run.a.rows), 0);
  const std::vector<double> got = run.multiply(1, 0, x, y, 1);
  const std::vector<bool> reached = rowsReached(run.a, marked);
  for (size_t i = 0; i < got.size(); ++i)
    CHECK_MESSAGE(std::isnan(got[i]) == reached[i], "NaN in column ", column, ", row ", i);
}

// Returns true if the plan accepted the matrix.
bool checkPlan(const RandomPlan &random, const TestMatrix &matrix, uint64_t seed) {
  const TestCase test{random.format, &matrix, random.problem, {random.plan, false}, random.source};
  INFO(test.name());
  llvm::Expected<Layout> layout = layoutOf(test);
  if (!layout) {
    const std::pair<Status, std::string> reason = describe(layout.takeError());
    CHECK_MESSAGE(reason.first == Status::notApplicable, reason.second);
    return false;
  }
  Run run(test, std::move(*layout));
  checkProduct(run, seed);
  checkNaNReach(run, seed);
  return true;
}

} // namespace

TEST_CASE("any plan is right on any matrix that it takes") {
  const uint64_t matrices = randomSetting("SPECMV_RANDOM_MATRICES", 60);
  const std::vector<RandomPlan> plans = randomPlans();
  size_t cases = 0;
  for (size_t p = 0; p < plans.size(); ++p) {
    CHECK(checkPlan(plans[p], randomMatrix(plans[p].matrixSeed), p));
    for (uint64_t i = 0; i < matrices; ++i)
      cases += checkPlan(plans[p], randomMatrix((p << 20) + i + (1ULL << 60)), i);
  }
  MESSAGE(plans.size(), " plans at random, ", cases, " products");
  CHECK(cases >= plans.size() * matrices / 3);
}
