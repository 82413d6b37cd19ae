// Plans, sources and launches for several vectors.
#include "generator/shared/several.h"

#include "generator/rank.h"
#include "tests/generator/formats/one_format.h"

#include <set>

using namespace specmv;
using namespace specmv::testing;

namespace {

Problem problemOf(ValueType type, int vectors) {
  Problem problem{type};
  problem.vectors = vectors;
  return problem;
}

size_t countOf(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

} // namespace

TEST_CASE("a team reads a row of X, 16 bytes a thread") {
  CHECK(teamOf(problemOf(ValueType::f64, 2)) == 1);
  CHECK(teamOf(problemOf(ValueType::f64, 8)) == 4);
  CHECK(teamOf(problemOf(ValueType::f64, 16)) == 8);
  CHECK(teamOf(problemOf(ValueType::f32, 2)) == 1);
  CHECK(teamOf(problemOf(ValueType::f32, 4)) == 1);
  CHECK(teamOf(problemOf(ValueType::f32, 16)) == 4);
}

TEST_CASE(
    "formats with kernels for several vectors offer plans that can have them, others say so") {
  std::set<std::string> with;
  const CsrMatrix a = evenMatrix(640, 9);
  const SparsityProfile seen = profile(a.view());
  for (ValueType type : kTypes)
    for (const int vectors : {2, 4, 8, 16}) {
      const Problem problem = problemOf(type, vectors);
      for (const Format &format : formats()) {
        CAPTURE(format.name);
        const Offer offer = specmv::offerOf(format, {seen, problem, h200(), {}});
        if (!format.several) {
          CHECK(offer.plans.empty());
          CHECK(offer.why == std::string(format.name) + " has no kernel for several vectors");
          continue;
        }
        for (const Plan &plan : offer.plans) {
          with.insert(format.name);
          CHECK(format.several->whyNot(plan, problem) == "");
          const std::string source = format.source(plan, problem).text;
          CHECK(countOf(source, "__global__") == 3);
          CHECK(countOf(source, "specmv_several(") == 1);
          CHECK(countOf(source, "specmv_rows_of_x(") == 1);
        }
      }
    }
  CHECK(with.count("csr-merge") == 1);
  CHECK(with.count("sell") == 1);
  CHECK(with.count("csr-vector") == 1);
}

TEST_CASE("a source for one vector has one kernel") {
  const Offer offer = offerOf(evenMatrix(64, 5), "sell");
  CHECK(countOf(offer.format->source(offer.plans.at(0), kDouble).text, "__global__") == 1);
}

TEST_CASE("plans that cannot multiply several vectors are refused, wherever they come from") {
  const CsrMatrix a = evenMatrix(64, 5);
  const Problem problem = problemOf(ValueType::f64, 8);
  const auto refused = [&](const Plan &plan) {
    auto layout = layoutOf(a, plan, problem);
    REQUIRE_FALSE(static_cast<bool>(layout));
    const auto [status, sentence] = describe(layout.takeError());
    CHECK(status == Status::notApplicable);
    return sentence;
  };
  const auto first = [&](const char *format, const Fixed &fixed = {}) {
    return offerOf(a, format, fixed).plans.at(0);
  };
  CHECK(refused(first("jad")) == "jad has no kernel for several vectors");
  CHECK(
      refused(first("csr-vector", {{"csr.lanes", 32}})) ==
      "8 vectors need 4 threads for each of csr.lanes = 32 lanes, more than the 32 of a warp; set "
      "csr.lanes to at most 8");
  CHECK(refused(first("csr-merge")) == "merge.threads = 256 must be 32 for 8 vectors");
  CHECK(static_cast<bool>(layoutOf(a, first("csr-vector", {{"csr.lanes", 8}}), problem)));
  const Offer offer = offerOf(a, "csr-vector", {{"csr.lanes", 16}}, problem);
  CHECK(offer.plans.empty());
  CHECK(offer.why.find("csr.lanes = 16") != std::string::npos);
}

TEST_CASE("a product with several vectors takes longer than one and not as long as all of them") {
  const CsrMatrix a = evenMatrix(40000, 40);
  const SparsityProfile seen = profile(a.view());
  for (const char *format : {"csr-vector", "sell", "csr-merge", "csr-scalar"}) {
    CAPTURE(format);
    double one = 0, last = 0;
    for (const int vectors : {1, 2, 4, 8, 16}) {
      const Problem problem = problemOf(ValueType::f64, vectors);
      const PlanRequest request{seen, problem, h200(), {}};
      const Offer offer = specmv::offerOf(*findFormat(format), request);
      const double us = rank({offer}, request).front().predictedUs;
      CHECK(us > last);
      if (vectors == 1) {
        one = us;
      } else {
        CHECK(us < vectors * one);
        // Twice as many vectors can fill one wave and begin another, as those of csr-scalar do.
        CHECK(us < 2.05 * last);
      }
      last = us;
    }
  }
}
