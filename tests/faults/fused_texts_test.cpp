// Tests that no text of a fused step crashes or hangs the process: each is compiled, or refused
// with a sentence that names a line or a number. SPECMV_FAULTS_CAMPAIGN=1 takes 500 random texts.
#include "tests/faults/campaign.h"
#include "tests/faults/fused_texts.h"
#include "tests/runtime/child_process.h"
#include "tests/runtime/scratch_directory.h"
#include "tests/text.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>

using namespace specmv;
using namespace specmv::testing;

namespace {

// A plan on the host that compiles what a GPU would run.
specmvPlan_t planIn(const char *format) {
  static const int32_t rowPtr[] = {0, 2, 3, 4}, col[] = {0, 1, 1, 2};
  static const double val[] = {1, 2, 3, 4};
  specmvMatrix_t matrix = nullptr;
  specmvPlan_t plan = nullptr;
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  options.target = SPECMV_TARGET_HOST;
  options.compileOnHost = 1;
  options.formats = format;
  REQUIRE(specmvCreateCsr(&matrix, 3, 3, 4, rowPtr, col, val, SPECMV_INDEX_32I, SPECMV_R_64F) ==
          SPECMV_STATUS_SUCCESS);
  REQUIRE_MESSAGE(specmvCreatePlan(&plan, matrix, &options) == SPECMV_STATUS_SUCCESS,
                  specmvGetLastErrorDetail());
  specmvDestroyMatrix(matrix);
  return plan;
}

struct Answer {
  specmvStatus_t status;
  std::string detail;
};

// Ends the process if the compiler does not answer. The last text of the output is then at fault.
Answer answerOf(specmvPlan_t plan, const specmvFusion_t &fusion) {
  constexpr unsigned kPatience = 60;
  alarm(kPatience);
  specmvFused_t step = nullptr;
  const specmvStatus_t status = specmvCreateFused(&step, plan, &fusion);
  Answer out{status, status == SPECMV_STATUS_SUCCESS ? "" : specmvGetLastErrorDetail()};
  CHECK((step != nullptr) == (status == SPECMV_STATUS_SUCCESS));
  CHECK(specmvDestroyFused(step) == SPECMV_STATUS_SUCCESS);
  alarm(0);
  return out;
}

bool hasNumber(const std::string &sentence) {
  return std::any_of(sentence.begin(), sentence.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Returns true if a sentence says what is wrong: at which line, or which of the names in quotes.
bool tells(const std::string &sentence) {
  return hasNumber(sentence) || contains(sentence, "'") || contains(sentence, "has no name");
}

void passesInChild(const std::string &name) {
  const ScratchDirectory scratch("specmv-fused");
  const std::string output = scratch.path() + "/output";
  const int status = runAlone(name,
                              {{"SPECMV_CACHE_DIR", scratch.path() + "/cache"},
                               {"SPECMV_CACHE_PATH", ""},
                               {"SPECMV_STANDARD_PACK", ""}},
                              output);
  const std::string all = readFile(output);
  if (const size_t at = all.rfind("texts: "); at != std::string::npos)
    MESSAGE(all.substr(at, all.find('\n', at) - at));
  // The last text is the one at fault if the process ended.
  const std::string shown = all.substr(all.size() - std::min<size_t>(all.size(), 4000));
  CHECK_MESSAGE(status == 0, shown);
}

} // namespace

TEST_CASE("child: random texts of fused steps" * doctest::skip()) {
  const specmvPlan_t plans[] = {planIn("csr-scalar"), planIn("ell"), planIn("csr-merge"),
                                planIn("coo")};
  const int count = isLongCampaign() ? 500 : 40;
  RandomTexts texts(1);
  int compiled = 0, refused = 0, refusedByCompiler = 0;
  for (int i = 0; i < count; ++i) {
    const FusedTexts text = texts.next();
    std::printf("%d: %s\n", i, text.shown().c_str());
    std::fflush(stdout);
    const Answer outcome = answerOf(plans[i % 4], text.description());
    if (outcome.status == SPECMV_STATUS_NO_NVRTC) {
      std::printf("texts: skipped: there is no NVRTC\n");
      return;
    }
    std::printf("%s\n", outcome.detail.c_str());
    compiled += outcome.status == SPECMV_STATUS_SUCCESS;
    refused += outcome.status == SPECMV_STATUS_INVALID_VALUE;
    refusedByCompiler += contains(outcome.detail, "the fused step does not compile: ");
    CHECK_MESSAGE((outcome.status == SPECMV_STATUS_SUCCESS ||
                   (outcome.status == SPECMV_STATUS_INVALID_VALUE && tells(outcome.detail))),
                  i, ": status ", outcome.status, " ", outcome.detail);
  }
  std::printf("texts: %d compiled, %d refused, %d of them by the compiler\n", compiled, refused,
              refusedByCompiler);
  CHECK(compiled + refused == count);
  CHECK(compiled >= count / 10);
  CHECK(refusedByCompiler >= count / 10);
  for (specmvPlan_t plan : plans)
    CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("no random text of a fused step crashes or hangs the process") {
  passesInChild("child: random texts of fused steps");
}

TEST_CASE("child: what the compiler refuses" * doctest::skip()) {
  const specmvPlan_t plan = planIn("csr-scalar");
  const auto refusal = [&](const char *epilogue, const char *vectors = "p, q",
                           const char *x = "p") {
    specmvFusion_t fusion = SPECMV_FUSION_INIT;
    fusion.x = x, fusion.epilogue = epilogue, fusion.vectors = vectors, fusion.written = "q";
    const Answer outcome = answerOf(plan, fusion);
    CHECK(outcome.status == SPECMV_STATUS_INVALID_VALUE);
    return outcome.detail;
  };
  if (answerOf(plan, FusedTexts(apitest::readyFusions().front()).description()).status ==
      SPECMV_STATUS_NO_NVRTC)
    return;
  const std::string said = "the fused step does not compile: ";
  CHECK(refusal("q = ax;\nq = nothing;") ==
        said + "epilogue(2): error: identifier \"nothing\" is undefined");
  CHECK(refusal("q = ax +") == said + "epilogue(2): error: expected an expression");
  CHECK(refusal("q = ax;", "p, q", "p +") == said + "x(2): error: expected an expression");
  // Former bugs: a row's number could be changed, which moved the stores, and a variable could take
  // the place of a vector.
  for (const char *text : {"q = ax; i = 5;", "q = ax; ax = 1;"})
    CHECK(refusal(text) == said + "epilogue(1): error: expression must be a modifiable lvalue");
  CHECK(contains(refusal("\nreal q = ax;"), said + "epilogue(2): error: \"q\" has already been"));
  CHECK(contains(refusal("q = ax; real p = 1;"), "epilogue, line 1: 'p' is changed"));
  CHECK(contains(refusal("real f(real); q = f(ax);"), "Unresolved extern function"));
  CHECK(contains(refusal("q = asm_;", "p, q, alignas"), "neither x nor the epilogue"));
  CHECK(contains(refusal("q = alignas;", "p, q, alignas"), "name alignas(1): error: "));
  CHECK(contains(refusal("a; b; c; d; q = e;"), "\"c\" is undefined; and 2 further errors"));
  // The kernel that computes x as a vector has j, too, and the same lines.
  const specmvPlan_t apart = planIn("coo");
  specmvFusion_t fusion = SPECMV_FUSION_INIT;
  fusion.x = "p * j", fusion.epilogue = "q = ax;", fusion.vectors = "p, q", fusion.written = "q";
  CHECK(answerOf(apart, fusion).status == SPECMV_STATUS_SUCCESS);
  fusion.x = "p *\nnothing";
  CHECK(answerOf(apart, fusion).detail ==
        said + "x(2): error: identifier \"nothing\" is undefined");
  for (const specmvPlan_t each : {plan, apart})
    CHECK(specmvDestroyPlan(each) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("what the compiler refuses of a fused step is told with its line, in one sentence") {
  passesInChild("child: what the compiler refuses");
}

TEST_CASE("child: steps that compile" * doctest::skip()) {
  const specmvPlan_t plans[] = {planIn("csr-scalar"), planIn("csr-merge")};
  std::vector<FusedTexts> all;
  for (const specmvFusion_t &fusion : apitest::readyFusions())
    all.emplace_back(fusion);
  const auto add = [&](const char *x, const char *epilogue, const char *vectors,
                       const char *written, const char *scalars, const char *sums) {
    specmvFusion_t fusion = SPECMV_FUSION_INIT;
    fusion.x = x, fusion.epilogue = epilogue, fusion.vectors = vectors, fusion.written = written;
    fusion.scalars = scalars, fusion.sums = sums;
    all.emplace_back(fusion);
  };
  add("p", "s += ax * ax;", "p", "", "", "s"); // names nothing
  add("1", "s += ax;", "", "", "", "s");
  add("a", "s += a;", "", "", "a", "s");
  add("", "s += i;", "", "", "", "s");
  add("p // of the column", "q = ax; s += q * p", "p, q", "q", "", "s"); // without the last ;
  add("p * Value", "s += ax;", "p", "", "Value", "s");
  // Names of the emitted source.
  add("vector1 * scalar1", "vector0 = scalar1 + sum1; sum1 += vector0;", "vector1, vector0",
      "vector0", "scalar2, scalar1", "sum1");
  add("loadReusedIf * p", "Value = ax; prefetch += 1; Int64 += 1;",
      "loadReusedIf, p, Value, prefetch", "Value, prefetch", "", "Int64");
  add("p", "std = ax; plan += ax; // the end", "p, std", "std", "", "plan");
  for (const FusedTexts &texts : all)
    for (specmvPlan_t plan : plans) {
      const Answer outcome = answerOf(plan, texts.description());
      CHECK_MESSAGE(
          (outcome.status == SPECMV_STATUS_SUCCESS || outcome.status == SPECMV_STATUS_NO_NVRTC),
          texts.shown(), "\n", outcome.detail);
    }
  for (specmvPlan_t plan : plans)
    CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("the steps of specmv_fused.h compile, and those with names of the emitted source") {
  passesInChild("child: steps that compile");
}
