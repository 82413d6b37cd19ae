// Tests of a plan's text, over all plans that are offered and at the limits of its numbers.
#include "tests/generator/edge_matrices.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>

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
      CHECK(read->lists == plan.lists);
    }
}

TEST_CASE("lists read back, also empty, long and with extreme items") {
  using Limits = std::numeric_limits<int64_t>;
  std::vector<int64_t> longest(kMaxListLength);
  std::iota(longest.begin(), longest.end(), -1000);
  Plan plan{"x", {{"a", 1}}, {{"r", 0.5}}};
  plan.lists = {{"none", {}}, {"edges", {Limits::min(), 0, Limits::max()}}, {"long", longest}};
  CHECK(plan.text().rfind("x a=1 r=0.5 none=[] edges=[-9223372036854775808,0,", 0) == 0);
  const auto read = parsePlan(plan.text());
  REQUIRE(read);
  CHECK(read->lists == plan.lists);
  CHECK(read->get(ListKey{"edges"}) == plan.lists[1].second);
  CHECK_FALSE(read->has(ListKey{"a"}));
  plan.lists[2].second.push_back(0);
  CHECK_FALSE(parsePlan(plan.text())); // longer than a plan's list may be
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

TEST_CASE("names of integers have up to 15 characters, which all count") {
  const std::string longest = "csr.lanes678901";
  REQUIRE(longest.size() == PlanName::kMost);
  const Plan plan{"x", {{longest, 7}, {"csr.lanes67890", 8}}};
  CHECK(plan.text() == "x csr.lanes678901=7 csr.lanes67890=8");
  const auto read = parsePlan(plan.text());
  REQUIRE(read);
  CHECK(*read == plan);
  CHECK(*read->find(longest) == 7);
  CHECK(*read->find("csr.lanes67890") == 8);
  for (const std::string &other : {longest + "2", longest + "23", longest.substr(1)})
    CHECK(read->find(other) == nullptr);
  CHECK_FALSE(parsePlan("x " + longest + "2=7"));
  CHECK(PlanName(longest + "2") != PlanName(longest));
  CHECK(std::string_view(PlanName(longest)) == longest);
}

TEST_CASE("text that is no plan's is refused") {
  REQUIRE(parsePlan("ell ell.width=27 block=256"));
  REQUIRE(parsePlan("qcsr qcsr.d=16 qcsr.fill=0.5"));
  REQUIRE(parsePlan("dia holes=1 dia.offsets=[-1,0,2]"));
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
                           "ell a=1 b",
                           "dia a=[",
                           "dia a=]",
                           "dia a=[1",
                           "dia a=1]",
                           "dia a=[1]]",
                           "dia a=[[1]]",
                           "dia a=[1]x",
                           "dia a=[,]",
                           "dia a=[1,]",
                           "dia a=[,1]",
                           "dia a=[1,,2]",
                           "dia a=[1, 2]",
                           "dia a=[01]",
                           "dia a=[-0]",
                           "dia a=[0.5]",
                           "dia a=[x]",
                           "dia a=[99999999999999999999]",
                           "dia =[1]",
                           "dia a=[1] b=1",
                           "dia a=[1]b=[2]"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(parsePlan(text));
  }
}
