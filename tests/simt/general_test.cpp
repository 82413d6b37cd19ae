// Tests that a general kernel, which has numbers of the matrix as arguments, gives the same bits as
// the kernel that is made for the plan.
#include "tests/simt/run.h"

#include <cstring>

using namespace specmv;
using namespace specmv::simt;

namespace {

// Returns the case with the kernel that is made for the plan.
TestCase specialized(TestCase test) {
  test.plan.isGeneral = false;
  test.source = test.format->source(test.kernelPlan(), test.problem).text;
  return test;
}

// Compares the bits for numbers that need rounding, and for numbers whose products underflow, so
// that a sum may be -0.
void checkSameBits(const TestCase &test) {
  auto layout = checkedLayout(test);
  auto same = checkedLayout(test);
  if (!layout || !same)
    return;
  const TestCase other = specialized(test);
  Run general(test, std::move(*layout)), made(other, std::move(*same));
  const double beta = test.problem.betaCanBeNonZero ? 0.3 : 0;
  for (const double scale : {1.0, -0x1p-140}) {
    std::vector<double> own = reals(values, general.a.nnz(), test.problem.type);
    for (double &v : own)
      v *= scale;
    general.setValues(own);
    made.setValues(own);
    std::vector<double> x = reals(vectorX, general.a.cols, general.type);
    for (double &v : x)
      v *= scale;
    const auto y = reals(vectorY, general.a.rows, general.type);
    CHECK(haveSameBits(general.multiply(1.7, beta, x, y, 1), made.multiply(1.7, beta, x, y, 2)));
  }
}

} // namespace

TEST_SUITE("general") {
  TEST_CASE("a general kernel gives the bits of the one that is made for the plan") {
    const std::vector<TestMatrix> matrices = caseMatrices();
    size_t tried = 0;
    for (const TestCase &test : testCases(matrices)) {
      // Plans that add in any order have no bits of their own; the suite of products checks them.
      if (!test.plan.isGeneral || !test.format->isDeterministicFor(test.plan.plan))
        continue;
      CAPTURE(test.name());
      checkSameBits(test);
      ++tried;
    }
    MESSAGE(tried, " plans");
    CHECK(tried > 100);
  }
}
