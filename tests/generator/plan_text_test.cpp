// Tests of a plan's text, over all plans that are offered and at the edges of its numbers.
#include "tests/generator/edge_matrices.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace specmv;
using namespace specmv::testing;

TEST_CASE("a plan's text reads back as the plan") {
  for (const CsrMatrix &a : edgeMatrices())
    for (const auto &[format, plan] : plansOf(a.view(), {})) {
      const auto read = parsePlan(plan.text());
      REQUIRE(read);
      CHECK(read->format == plan.format);
      CHECK(read->integers == plan.integers);
      CHECK(read->reals == plan.reals);
    }
}

TEST_CASE("reals and extreme integers read back to the last bit") {
  using Limits = std::numeric_limits<double>;
  for (double real : {0.0, -0.0, 0.1, 1.0 / 3, 1.0, -2.5, 1e22, 1e-300, Limits::denorm_min(),
                      Limits::max(), Limits::infinity(), 123456789012345678.0}) {
    const Plan plan{"x",
                    {{"lowest", std::numeric_limits<int64_t>::min()},
                     {"most", std::numeric_limits<int64_t>::max()}},
                    {{"real", real}}};
    const auto read = parsePlan(plan.text());
    CAPTURE(plan.text());
    REQUIRE(read);
    CHECK(read->integers == plan.integers);
    REQUIRE(read->reals.size() == 1);
    CHECK(read->reals[0].second == real);
    CHECK(std::signbit(read->reals[0].second) == std::signbit(real));
  }
}

TEST_CASE("text that is no plan's is refused") {
  REQUIRE(parsePlan("ell ell.width=27 block=256"));
  REQUIRE(parsePlan("qcsr qcsr.d=16 qcsr.fill=0.5"));
  for (const char *text : {"",
                           " ",
                           "ell ",
                           " ell",
                           "ell  a=1",
                           "ell a",
                           "ell a=",
                           "ell =1",
                           "ell a=1x",
                           "ell a=01",
                           "ell a=+1",
                           "ell a=0x10",
                           "ell a=-0",
                           "ell a=1.50",
                           "ell a=.5",
                           "ell a=1e999",
                           "ell a=1,5",
                           "ell a=99999999999999999999",
                           "qcsr qcsr.fill=0.5 qcsr.d=16",
                           "ell a=1\n",
                           "ell a=1 b"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(parsePlan(text));
  }
}
