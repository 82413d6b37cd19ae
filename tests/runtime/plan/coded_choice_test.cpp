// Tests the choice of a coding of values: it follows from the values, where it can pay, and an
// earlier choice is not followed with values that do not fit.
#include "runtime/plan/recall.h"
#include "runtime/plan/session.h"

#include "models/lab/families/families.h"
#include "tests/runtime/plan/specialize_testing.h"

using namespace specmv;
using namespace specmv::testing;

namespace {

// A stencil with values that are equal along diagonals, or with different ones.
struct Stencil {
  ScratchDirectory scratch;
  CsrMatrix equal = llvm::cantFail(generateFamily("stencil5:n=600")), differing = equal;
  Machine machine = hostMachine(scratch.path());

  Stencil() {
    machine.hostKernels = HostKernels::none;
    for (int64_t i = 0; i < equal.rows; ++i)
      for (int64_t e = equal.rowPtr[i]; e < equal.rowPtr[i + 1]; ++e)
        equal.val[e] = equal.col[e] == i ? 4 : -0.1;
    for (size_t e = 0; e < differing.val.size(); ++e)
      differing.val[e] = 0.1 * static_cast<double>(e);
  }
  Specialized made(const CsrView &a, const Request &request) {
    return llvm::cantFail(specialize(a, request, machine));
  }
};

Request anyCoding() {
  Request request;
  request.mayCode = true;
  return request;
}

} // namespace

TEST_CASE("plans get the coding of values that fit, unless values are to change") {
  Stencil s;
  const auto codingOf = [&](const CsrView &a, const Request &request) {
    forgetChoices();
    return s.made(a, request).built.plan.values;
  };
  CHECK(codingOf(s.equal.view(), anyCoding()) == "diagonals");
  CHECK(codingOf(s.differing.view(), anyCoding()).empty());
  CHECK(codingOf(s.equal.view(), {}).empty());
  Request updatable = anyCoding();
  updatable.takesNewValues = true;
  CHECK(codingOf(s.equal.view(), updatable).empty());
  Request rows = anyCoding();
  rows.formats = {"csr-vector", "sell"};
  CHECK(codingOf(s.equal.view(), rows) == "codes4");
}

TEST_CASE("values are looked at only where coding them can pay") {
  Stencil s;
  const auto areLookedAt = [&](const CsrView &a, const Request &request) {
    Session session(a, request, s.machine);
    llvm::cantFail(session.ranked());
    return session.knownValueFacts() != nullptr;
  };
  CHECK(areLookedAt(s.equal.view(), anyCoding()));
  Request products = anyCoding();
  products.expectedProducts = 3;
  CHECK_FALSE(areLookedAt(s.equal.view(), products));
  products.expectedProducts = 100000;
  CHECK(areLookedAt(s.equal.view(), products));
  const CsrMatrix small = llvm::cantFail(generateFamily("stencil5:n=10"));
  CHECK_FALSE(areLookedAt(small.view(), anyCoding()));
}

TEST_CASE("blocks that repeat get numbers, and others do not") {
  // All these matrices have the same pattern, so no choice may be remembered.
  const auto chosen = [](const std::string &spec, const Request &request) {
    const ScratchDirectory scratch;
    Machine machine = hostMachine(scratch.path());
    machine.hostKernels = HostKernels::none;
    forgetChoices();
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    return llvm::cantFail(specialize(a.view(), request, machine)).built.plan;
  };
  const std::string uniform = "elasticity:n=35,materials=20"; // 540 different blocks
  const Plan blocks = chosen(uniform, anyCoding());
  CHECK(blocks.format == "bcsr");
  CHECK(blocks.values == "blocks");
  CHECK(chosen("elasticity:n=35,materials=2", anyCoding()).values == "blocks8");
  // The values of one material would fit a byte each too, but nine of these take more time.
  Request inBlocks = anyCoding();
  inBlocks.formats = {"bcsr"};
  CHECK(chosen("elasticity:n=35,materials=1", inBlocks).values == "blocks8");
  CHECK(chosen("elasticity:n=35", anyCoding()).values.empty());
  CHECK(chosen(uniform, {}).values.empty());
  Request updatable = anyCoding();
  updatable.takesNewValues = true;
  CHECK(chosen(uniform, updatable).values.empty());
  Request rows = anyCoding();
  rows.formats = {"csr-vector", "sell"};
  CHECK(chosen(uniform, rows).values.empty());
}

TEST_CASE("blocks are sampled only where numbers for them could win") {
  const ScratchDirectory scratch;
  Machine machine = hostMachine(scratch.path());
  int samples = 0;
  const auto ranked = [&](const std::string &spec) {
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    const ValueFacts facts = valueFacts(a.view());
    samples = 0;
    return llvm::cantFail(rankPlans(anyCoding(), profile(a.view()), machine, Look::never,
                                    {.values = &facts, .blocks = [&](int64_t r, int64_t c) {
                                       ++samples;
                                       return std::optional(repeatedBlocks(a.view(), r, c));
                                     }}));
  };
  ranked("elasticity:n=35,materials=20");
  CHECK(samples > 0);
  ranked("stencil5:n=300");
  CHECK(samples == 0);
}

TEST_CASE("an earlier choice of numbers for blocks is followed only by blocks that repeat") {
  const ScratchDirectory scratch;
  Machine machine = hostMachine(scratch.path());
  machine.hostKernels = HostKernels::none;
  forgetChoices();
  const auto made = [&](const char *spec) {
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    return llvm::cantFail(specialize(a.view(), anyCoding(), machine));
  };
  const Specialized first = made("elasticity:n=35,materials=20");
  REQUIRE(first.built.plan.values == "blocks");
  const Specialized again = made("elasticity:n=35,materials=30,seed=1");
  CHECK(again.choice.by == ChosenBy::wisdom);
  CHECK(again.built.plan == first.built.plan);
  const Specialized other = made("elasticity:n=35");
  CHECK(other.choice.by == ChosenBy::prediction);
  CHECK(other.built.plan.values.empty());
}

TEST_CASE("an earlier choice with a coding is followed only by values that fit it") {
  Stencil s;
  const Request request = anyCoding();
  const Specialized first = s.made(s.equal.view(), request);
  CHECK(first.choice.by == ChosenBy::prediction);
  const Specialized again = s.made(s.equal.view(), request);
  CHECK(again.choice.by == ChosenBy::wisdom);
  CHECK(again.built.plan == first.built.plan);
  const Specialized other = s.made(s.differing.view(), request);
  CHECK(other.choice.by == ChosenBy::prediction);
  CHECK(other.built.plan.values.empty());
}

TEST_CASE("a choice for other values of the pattern hides no better coding") {
  Stencil s;
  CsrMatrix exact = s.differing; // in f32, but not equal along diagonals
  for (size_t e = 0; e < exact.val.size(); ++e)
    exact.val[e] = static_cast<double>(e);
  std::vector<Specialized> first;
  for (const CsrMatrix *a : {&s.differing, &exact, &s.equal}) {
    first.push_back(s.made(a->view(), anyCoding()));
    CHECK(first.back().choice.by == ChosenBy::prediction);
  }
  CHECK(first[0].built.plan.values.empty());
  CHECK(first[1].built.plan.values == "f32");
  CHECK(first[2].built.plan.values == "diagonals");
  // Each is remembered, in memory and on disk.
  for (bool isInMemory : {true, false})
    for (const auto &[a, before] : {std::pair(&s.equal, 2), {&s.differing, 0}, {&exact, 1}}) {
      if (!isInMemory)
        forgetChoices();
      const Specialized again = s.made(a->view(), anyCoding());
      CHECK(again.choice.by == ChosenBy::wisdom);
      CHECK(again.built.plan == first[before].built.plan);
    }
}

TEST_CASE("structureOf a plan with a coding gives a plain plan to values that do not fit") {
  Stencil s;
  const Specialized first = s.made(s.equal.view(), anyCoding());
  Plan plain = first.built.plan;
  plain.values.clear();
  Request like = anyCoding();
  like.like =
      LikePlan{s.equal.rows, s.equal.cols, s.equal.nnz(), ValueType::f64, first.built.plan.text()};
  const auto follows = [&](const CsrView &a, const Plan &plan) {
    const Specialized made = s.made(a, like);
    CHECK(made.choice.by == ChosenBy::structure);
    CHECK(made.built.plan == plan);
  };
  follows(s.equal.view(), first.built.plan);
  follows(s.differing.view(), plain);
  like.takesNewValues = true;
  follows(s.equal.view(), plain);
}
