// Tests of the standard pack's table: its patterns, that every plan is known to its format, and
// that matrices find their kernels in it.
#include "runtime/pregen/standard.h"

#include "generator/order/ordered_product.h"
#include "generator/setup/given_csr.h"
#include "generator/setup/packing.h"
#include "generator/setup/profile.h"
#include "models/lab/families/families.h"
#include "runtime/choose/choose.h"
#include "runtime/pregen/wanted.h"
#include "tests/runtime/host_machine.h"

#include <doctest/doctest.h>

#include <set>

using namespace specmv;
using namespace specmv::testing;

TEST_CASE("a pattern stands for all of its alternatives") {
  using Texts = std::vector<std::string>;
  CHECK(alternatives("a=1") == Texts{"a=1"});
  CHECK(alternatives("a={1,4..6,9}") == Texts{"a=1", "a=4", "a=5", "a=6", "a=9"});
  CHECK(alternatives("{1,2} b={3,4}") == Texts{"1 b=3", "1 b=4", "2 b=3", "2 b=4"});
  CHECK(alternatives("a={7}") == Texts{"a=7"});
  CHECK(alternatives("a={7..7}") == Texts{"a=7"});
}

TEST_CASE("every plan of the standard pack is one that its format knows, and there once") {
  std::set<std::string> texts;
  for (const Plan &plan : standardPlans()) {
    const std::string text = plan.text();
    CAPTURE(text);
    CHECK(texts.insert(text).second);
    const Format *format = findFormat(plan.format);
    REQUIRE(format);
    const bool isGeneral = format->general && format->general(plan) == plan;
    CHECK((isGeneral || !llvm::errorToBool(checkPlan(plan, format->parameters))));
    CHECK_FALSE(format->source(plan, {ValueType::f32}).text.empty());
  }
  CHECK(texts.size() == 178);
  size_t patterns = 0;
  for (const Format &format : formats())
    for (const PlanPattern &pattern : format.standard) {
      CHECK(llvm::StringRef(pattern.numbers).starts_with(std::string(format.name) + " "));
      patterns += alternatives(pattern.numbers).size();
    }
  CHECK(texts.size() == patterns); // all could be parsed
}

TEST_CASE("a plan's pack looks at the values of matrices with indices of both types") {
  // Without these kernels a plan has plain values, and no program compiles them for later.
  const Problem problem{ValueType::f64};
  std::vector<Digest> wanted;
  for (const Wanted &each : kernelsOf(standardPlans().front(), problem, {"sm_90"}))
    wanted.push_back(each.source.digest);
  CHECK(llvm::is_contained(wanted, valuesSource(problem.type).digest));
  CHECK(llvm::is_contained(wanted, valueDiagonalsSource(IndexType::i32, problem.type).digest));
  CHECK(llvm::is_contained(wanted, narrowSource().digest)); // for 64-bit indices
}

// Without this test, a format that offers new numbers would leave the table outdated.
TEST_CASE("the standard pack has the kernels of common matrices") {
  std::set<std::string> texts;
  for (const Plan &plan : standardPlans())
    texts.insert(plan.text());
  const auto isReady = [&](const Plan &plan) {
    const Format &format = *findFormat(plan.format);
    return texts.contains(plan.text()) ||
           (format.general && texts.contains(format.general(plan).text()));
  };
  const Machine machine = hostMachine("");
  for (const char *spec :
       {"random:k=8,rows=2000", "random:k=16,rows=100000", "random:k=40,spread=0.9,rows=5000",
        "band:k=30,half=500,rows=5000", "band:k=5,half=300,rows=50000", "fem2d:rows=20000",
        "powerlaw:rows=20000,avg=8", "circuit:rows=20000", "rmat:scale=14,edge=8",
        "blocks:b=3,k=9,rows=9000", "elasticity:n=12", "diagonal:n=5000", "lp:rows=100",
        "mycielskian:k=10", "chessboard:m=5,n=6,k=3"})
    for (ValueType type : {ValueType::f32, ValueType::f64}) {
      CAPTURE(spec);
      const CsrMatrix a = llvm::cantFail(generateFamily(spec));
      Request request;
      request.problem.type = type;
      const auto ranked = llvm::cantFail(
          rankPlans(request, llvm::cantFail(profileMatrix(a.view())).profile, machine));
      const size_t first = firstAmongTies(ranked.candidates, isReady);
      CHECK_MESSAGE(isReady(ranked.candidates[first].plan), ranked.candidates.front().plan.text());
    }
}

// With the kernel of its product alone, no plan can be the first one of a program.
TEST_CASE("a plan whose product is in the standard pack can be packed by it, too") {
  const Machine machine = hostMachine("");
  const Problem problem{ValueType::f32};
  std::set<Digest> packed;
  for (const Plan &plan : standardPlans())
    for (const Wanted &each : kernelsOf(plan, problem, {"sm_90"}))
      packed.insert(each.source.digest);
  std::set<std::string> seen;
  for (const char *spec :
       {"random:k=8,rows=20000", "band:k=30,half=500,rows=50000", "fem2d:rows=200000",
        "powerlaw:rows=200000,avg=8", "blocks:b=3,k=9,rows=90000", "stencil5:n=300",
        "random:k=40,spread=0.9,rows=20000", "web:rows=300000,avg=12,near=0.2"}) {
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    const ColumnDegrees columns = columnDegrees(a.view());
    Request request;
    request.problem = problem;
    const auto ranked = llvm::cantFail(rankPlans(
        request, llvm::cantFail(profileMatrix(a.view())).profile, machine, Look::untilDecided,
        {.columns = [&]() -> llvm::Expected<const ColumnDegrees *> { return &columns; },
         .countsAlways = true}));
    for (const Candidate &candidate : ranked.candidates) {
      const Plan &plan = candidate.plan;
      const Format &format = *findFormat(plan.format);
      const auto isPacked = [&](const Plan &each) {
        return packed.contains(format.source(each, problem).digest);
      };
      if (!format.packing ||
          !(isPacked(plan) || (format.general && isPacked(format.general(plan)))))
        continue;
      CAPTURE(plan.text());
      CHECK(packed.contains(
          format.packing->source(plan, problemOfPacking(plan, problem), IndexType::i32).digest));
      seen.insert(plan.format);
    }
  }
  CHECK(seen.contains("csr5-hot"));
  CHECK(seen.size() >= 9);
}

TEST_CASE("for several vectors, and vectors in f64 of values in f32, a fast plan is at hand") {
  const Machine machine = hostMachine("");
  const std::vector<Plan> packed = plansOfOtherProblems();
  for (const char *spec : {"fem2d:rows=200000", "powerlaw:rows=60000,avg=8", "circuit:rows=60000",
                           "rmat:scale=15,edge=16", "random:k=40,spread=0.9,rows=20000"}) {
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    const SparsityProfile seen = llvm::cantFail(profileMatrix(a.view())).profile;
    for (const ValueType type : {ValueType::f32, ValueType::f64})
      for (const Problem &problem : otherProblems(type)) {
        CAPTURE(spec);
        CAPTURE(problem.vectors);
        Request request;
        request.problem = problem;
        const auto ranked = llvm::cantFail(rankPlans(request, seen, machine));
        const size_t first = firstWithoutWait(ranked.candidates, [&](const Plan &plan) {
          const Format &format = *findFormat(plan.format);
          return llvm::is_contained(packed, plan) ||
                 (format.general && llvm::is_contained(packed, format.general(plan)));
        });
        const Plan &taken = ranked.candidates[first].plan;
        CHECK_MESSAGE(llvm::is_contained({"sell", "csr-merge", "ell"}, taken.format), taken.text());
        CHECK(ranked.candidates[first].predictedUs < 2 * ranked.candidates[0].predictedUs);
      }
  }
}

TEST_CASE("every plan for other problems has kernels for one of them") {
  for (const Plan &plan : plansOfOtherProblems())
    CHECK_MESSAGE(llvm::any_of(otherProblems(ValueType::f32),
                               [&](const Problem &problem) {
                                 return findFormat(plan.format)->whyNotFor(plan, problem).empty();
                               }),
                  plan.text());
}

TEST_CASE("a program can start at once by the caller's arrays with indices of both types") {
  const Problem problem{ValueType::f64};
  std::vector<Digest> packed;
  for (const Plan &plan : standardPlans())
    if (plan.format == "csr-merge")
      for (const Wanted &each : kernelsOf(plan, problem, {"sm_90"}))
        packed.push_back(each.source.digest);
  const Machine machine = hostMachine("");
  const Format &merge = *findFormat("csr-merge");
  for (const IndexType type : {IndexType::i32, IndexType::i64}) {
    DeviceCsr csr;
    csr.rows = csr.cols = 1000, csr.nnz = 5000;
    csr.indexType = type, csr.valueType = problem.type;
    for (const Plan &plan : merge.inPlace->plans(csr, machine.model)) {
      CAPTURE(plan.text());
      CHECK(llvm::is_contained(packed, merge.source(plan, problem).digest));
      CHECK(llvm::is_contained(packed, merge.inPlace->source(plan, problem, type).digest));
    }
  }
}
