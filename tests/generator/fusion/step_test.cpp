// Tests what is emitted for fused steps, and that sources without one have nothing of it.
#include "generator/fusion/step.h"
#include "tests/generator/for_all_plans.h"
#include "tests/generator/fusion/testing.h"
#include "tests/generator/fusion_texts.h"
#include "tests/text.h"

using namespace specmv;
using namespace specmv::testing;

namespace {

Problem problemWith(const Fusion &fusion, ValueType type = ValueType::f64) {
  Problem problem{.type = type, .betaCanBeNonZero = false};
  problem.fusion = &fusion;
  return problem;
}

// This step has as many operands as a step can have, in the statements and in x.
Fusion largest() {
  Fusion out{.x = "0", .statements = "s0 += 0", .sums = {"s0", "s1", "s2", "s3"}};
  for (int k = 0; k < kStepVectors; ++k) {
    out.vectors.push_back("v" + std::to_string(k));
    out.statements += " + " + out.vectors.back();
    if (k + 1 < kStepVectors)
      out.x += " + " + out.vectors.back();
  }
  for (int k = 0; k < kStepScalars; ++k) {
    out.gpuScalars.push_back("a" + std::to_string(k));
    out.statements += " * " + out.gpuScalars.back();
    out.x += " * " + out.gpuScalars.back();
  }
  out.statements += ";";
  out.written = {"v7"};
  return out;
}

} // namespace

TEST_CASE("a source without a step has nothing of steps") {
  forAllPlans({edgeMatrices()[11], edgeMatrices()[12]}, [](const Format &format, const Plan &plan,
                                                           const CsrMatrix &, Problem problem) {
    const std::string text = format.source(plan, problem).text;
    for (const char *word : {"fused", "Fused", "Step", "Source", "#line", "specmv_sums"})
      CHECK_FALSE(contains(text, word));
    problem.fusion = &stepOfProduct();
    if (format.fuses != Fuses::nothing)
      CHECK(format.source(plan, problem).text != text);
    problem.fusion = nullptr;
    CHECK(format.source(plan, problem).text == text);
  });
}

TEST_CASE("formats that fuse have one launch that stores, the last, and their sums follow") {
  const Fusion many = largest();
  REQUIRE(whyNot(many) == "");
  std::set<std::string> seen;
  forAllPlans(edgeMatrices(), [&](const Format &format, const Plan &plan, const CsrMatrix &a,
                                  const Problem &problem) {
    if (format.fuses == Fuses::nothing || a.rows == 0)
      return;
    seen.insert(format.name);
    const Valued values(a.view(), problem.type, 1);
    auto packed = format.layout(values.view(), plan, problem);
    if (!packed)
      return llvm::consumeError(packed.takeError());
    for (const Fusion *fusion : {&stepOfProduct(), &stepWithoutSums(), &many}) {
      if (format.fuses == Fuses::rows && fusion->hasExpression())
        continue;
      const Problem fused = problemWith(*fusion, problem.type);
      Layout layout = *packed;
      Steps steps = format.steps(plan, fused, layout);
      const size_t before = steps.size();
      REQUIRE(before > 0);
      for (const Step &step : steps) {
        const auto *launch = std::get_if<Launch>(&step.action);
        REQUIRE(launch);
        CHECK(((launch->onY == OnY::stores) == (&step == &steps.back())));
        CHECK(launch->arguments.size() <= 64); // kMaxArguments of a product on a GPU
      }
      const auto blocks = int64_t{std::get<Launch>(steps.back().action).grid[0]};
      addSums(steps, layout, fused);
      if (fusion->sums.empty()) {
        CHECK(steps.size() == before);
        continue;
      }
      REQUIRE(steps.size() == before + 1);
      const auto &sums = std::get<Launch>(steps.back().action);
      CHECK(sums.kernel == "specmv_sums");
      CHECK(sums.grid[0] == fusion->sums.size());
      const int64_t slots = layout.integer("fusedSlots");
      CHECK((slots == blocks || slots == 2 * blocks));
      CHECK(layout.scratch.back().elements == slots * static_cast<int64_t>(fusion->sums.size()));
    }
  });
  size_t fusing = 0;
  for (const Format &format : formats())
    fusing += format.fuses != Fuses::nothing;
  CHECK(seen.size() == fusing);
  CHECK(fusing >= 10);
}

TEST_CASE("a step alone runs a block even for no rows, and needs no more than its rows") {
  const Problem problem = problemWith(stepOfProduct());
  const auto blocksFor = [&](int64_t rows) {
    return std::get<Launch>(stepSteps(problem, rows).back().action).grid[0];
  };
  CHECK(blocksFor(0) == 1);
  CHECK(blocksFor(1) == 1);
  CHECK(blocksFor(kStepThreads * kStepRows) == 1);
  CHECK(blocksFor(kStepThreads * kStepRows + 1) == 2);
}

TEST_CASE("declarations have the text with its lines, and members that no name hides") {
  const Fusion fusion{.x = "vector1 * scalar0 + j",
                      .statements = "vector0 = ax; // the last line",
                      .vectors = {"vector1", "vector0"},
                      .written = {"vector0"},
                      .scalars = {"idle", "scalar0"},
                      .sums = {"sum0"}};
  REQUIRE(whyNot(fusion) == "");
  const std::string text = stepDeclarations(problemWith(fusion));
  for (const char *part :
       {"#line 1 \"epilogue\"\nvector0 = ax; // the last line\n    ;\n#line 1 \"specmv\"\n",
        "#line 1 \"x\"\nvector1 * scalar0 + j\n    );\n#line 1 \"specmv\"\n",
        "#line 1 \"name vector0\"\n    real vector0 = this->vector1[i];\n",
        "    this->vector1[i] = vector0;\n",
        "const real vector1 = specmv::loadReusedIf(specmvWanted, this->xvector0 + j);\n",
        "const real scalar0 = this->xscalar1;\n", "    real sum0 = 0;\n",
        "    specmvSums[0] += sum0;\n"}) {
    CAPTURE(part);
    CHECK(contains(text, part));
  }
  CHECK_FALSE(contains(text, "idle"));
  CHECK_FALSE(contains(text, "prefetch(vector1")); // it is written only
}

TEST_CASE("a kernel whose step names nothing passes its sums behind the empty step") {
  const Fusion fusion{.x = "p", .statements = "s += ax * ax;", .vectors = {"p"}, .sums = {"s"}};
  CHECK(contains(stepSource(problemWith(fusion)).text, ".y = {{}, fusedPartials, fusedSlots}"));
}

TEST_CASE("a step that computes x has its vectors, all scalars and the number of the column") {
  const Fusion fusion{.x = "b + a * j",
                      .statements = "c = ax;",
                      .vectors = {"c", "b"},
                      .written = {"c"},
                      .scalars = {"a"}};
  const Fusion x = stepOfX(fusion);
  CHECK(x.vectors == std::vector<std::string>{"b", "specmvResult"});
  CHECK(x.written == std::vector<std::string>{"specmvResult"});
  CHECK(x.scalars == fusion.scalars);
  CHECK_FALSE(x.hasProduct());
  CHECK(contains(x.statements, "const auto j = i;\n"));
  CHECK(contains(x.statements, "#line 1 \"x\"\nb + a * j\n"));
  CHECK(isAssignedFirst(x.statements, "specmvResult"));
}
