// Tests that texts of fused steps that are allowed compile, that the others are refused with their
// place, and that none crashes or hangs the process. SPECMV_FAULTS_CAMPAIGN=1 takes 5,000 random
// texts.
#include "generator/fusion/step.h"
#include "runtime/cuda/nvrtc.h"
#include "tests/faults/campaign.h"
#include "tests/faults/fused_texts.h"
#include "tests/generator/ready_made_steps.h"
#include "tests/runtime/child_process.h"
#include "tests/runtime/scratch_directory.h"
#include "tests/sanitized.h"
#include "tests/text.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <pthread.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

// A plan on the host that compiles what a GPU would run.
specmvPlan_t planIn(const char *format, bool inFloat = false) {
  static const int32_t rowPtr[] = {0, 2, 3, 4}, col[] = {0, 1, 1, 2};
  static const double doubles[] = {1, 2, 3, 4};
  static const float floats[] = {1, 2, 3, 4};
  specmvMatrix_t matrix = nullptr;
  specmvPlan_t plan = nullptr;
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  options.target = SPECMV_TARGET_HOST;
  options.compileOnHost = 1;
  options.formats = format;
  const void *const val = inFloat ? static_cast<const void *>(floats) : doubles;
  REQUIRE(specmvCreateCsr(&matrix, 3, 3, 4, rowPtr, col, val, SPECMV_INDEX_32I,
                          inFloat ? SPECMV_R_32F : SPECMV_R_64F) == SPECMV_STATUS_SUCCESS);
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
  constexpr unsigned kPatience = 600; // for slow machines
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

std::string times(int count, const std::string &text) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += text;
  return out;
}

// Texts that reach the limits of levels and of operators, each in another way.
std::vector<std::string> deepestTexts() {
  const struct {
    const char *begin, *middle, *end;
    int most;
  } kinds[] = {
      {"(", "ax", ")", 63},           {"- ", "ax", "", 63},          {"i ? p : ", "ax", "", 63},
      {"i ? ", "ax", ": p", 63},      {"fabs(", "ax", ")", 31},      {"real(", "ax", ")", 31},
      {"i || p && (", "ax", ")", 21}, {"fma(p, ax, ", "q", ")", 31}, {"ax * (p - ", "ax", ")", 21},
      {"i > (", "ax", ")", 31},       {"ax + ", "p", "", 255},       {"i && ", "p", "", 255},
      {"ax / p / q - ", "p", "", 85}, {"(real)", "ax", "", 63}};
  std::vector<std::string> out;
  for (const auto &kind : kinds)
    out.push_back("q = " + times(kind.most, kind.begin) + kind.middle + times(kind.most, kind.end));
  out.push_back(times(63, "{") + "q = ax;" + times(63, "}"));
  out.push_back(times(63, "if (ax > p) ") + "q = ax;");
  out.push_back(times(63, "if (ax > p) q = 1; else ") + "q = ax;");
  out.push_back(times(31, "if (ax > p) {") + "q = ax;" + times(31, "}"));
  out.push_back("q = ax + " + times(61, "(") + "p" + times(190, " + p") + times(61, ")"));
  out.push_back(times(63, "q = ") + "ax");
  out.push_back(times(1000, "q += ax;"));
  return out;
}

// Plans in double and in float, in turn.
const std::vector<specmvPlan_t> &plansOfTexts() {
  static const std::vector<specmvPlan_t> plans = {planIn("csr-scalar"), planIn("ell", true),
                                                  planIn("csr-merge"), planIn("coo", true)};
  return plans;
}

// Returns true if NVRTC is there; otherwise says that it is not.
bool canCompile() {
  auto version = nvrtcVersion();
  if (version)
    return true;
  llvm::consumeError(version.takeError());
  std::printf("texts: skipped: there is no NVRTC\n");
  return false;
}

// Returns true if a refusal has the place in a text, or is about what has no place.
bool hasPlace(const std::string &detail) {
  for (const char *without :
       {"is to be written, but ", "no expression; name a vector", "bytes exceeds the limit",
        "neither x nor the epilogue names", "a fused step must have statements"})
    if (contains(detail, without))
      return true;
  return contains(detail, ", line ") && contains(detail, ", column ");
}

} // namespace

TEST_CASE("child: valid texts of fused steps" * doctest::skip()) {
  if (!canCompile())
    return;
  const int count = isLongCampaign() ? 1000 : 12;
  RandomNumbers random(7);
  int spilled = 0;
  for (int i = 0; i < count; ++i) {
    const FusedTexts text = ValidTexts(random, true).next();
    std::printf("%d: %s\n", i, text.shown().c_str());
    std::fflush(stdout);
    const Answer outcome = answerOf(plansOfTexts()[static_cast<size_t>(i) % 4], text.description());
    CHECK_MESSAGE(outcome.status == SPECMV_STATUS_SUCCESS, i, ": ", outcome.detail);
    const Fusion fusion = fusionFrom(text.description());
    Problem problem{.type = i % 2 == 0 ? ValueType::f64 : ValueType::f32,
                    .betaCanBeNonZero = false};
    problem.fusion = &fusion;
    if (auto strict = compile(stepSource(problem), "step", "sm_90", Strictness::noSpills);
        !strict) {
      const std::string why = describe(strict.takeError()).second;
      CHECK_MESSAGE(contains(why, "Registers are spilled"), i, ": ", why); // long texts may do that
      ++spilled;
    }
  }
  std::printf(
      "texts: %d of the language compiled, %d of them with spilled registers, none with other "
      "local memory\n",
      count, spilled);
  CHECK(spilled <= count / 50);
}

TEST_CASE("texts of the language of fused steps compile, and none uses local memory") {
  passesInChild("child: valid texts of fused steps");
}

TEST_CASE("child: random texts of fused steps" * doctest::skip()) {
  if (!canCompile())
    return;
  const int count = isLongCampaign() ? 5000 : 60;
  RandomTexts texts(1);
  int compiled = 0, refused = 0;
  for (int i = 0; i < count; ++i) {
    const bool changesNames = i % 8 == 7;
    const FusedTexts text = texts.next(changesNames);
    std::printf("%d: %s\n", i, text.shown().c_str());
    std::fflush(stdout);
    const Answer outcome = answerOf(plansOfTexts()[static_cast<size_t>(i) % 4], text.description());
    std::printf("%s\n", outcome.detail.c_str());
    compiled += outcome.status == SPECMV_STATUS_SUCCESS;
    refused += outcome.status == SPECMV_STATUS_INVALID_VALUE;
    CHECK_MESSAGE((outcome.status == SPECMV_STATUS_SUCCESS ||
                   (outcome.status == SPECMV_STATUS_INVALID_VALUE &&
                    !contains(outcome.detail, "does not compile") &&
                    (changesNames ? tells(outcome.detail) : hasPlace(outcome.detail)))),
                  i, ": status ", outcome.status, " ", outcome.detail);
  }
  std::printf("texts: %d compiled, %d refused, none of them by the compiler\n", compiled, refused);
  CHECK(compiled + refused == count);
  CHECK(compiled >= count / 10);
  CHECK(refused >= count / 3);
}

TEST_CASE("no random text of a fused step crashes or hangs the process") {
  passesInChild("child: random texts of fused steps");
}

TEST_CASE("child: the deepest texts in a thread of 512 KB" * doctest::skip()) {
  if (!canCompile())
    return;
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, size_t{512} << 10) == 0);
  static const specmvPlan_t plan = planIn("csr-scalar");
  for (const std::string &text : deepestTexts()) {
    std::printf("%s\n", text.c_str());
    std::fflush(stdout);
    static Answer outcome;
    const auto create = [](void *epilogue) -> void * {
      specmvFusion_t fusion = SPECMV_FUSION_INIT;
      fusion.x = "p", fusion.epilogue = static_cast<const char *>(epilogue);
      fusion.vectors = "p, q", fusion.written = "q";
      outcome = answerOf(plan, fusion);
      return nullptr;
    };
    pthread_t thread{};
    REQUIRE(pthread_create(&thread, &attributes, create, const_cast<char *>(text.c_str())) == 0);
    REQUIRE(pthread_join(thread, nullptr) == 0);
    CHECK_MESSAGE(outcome.status == SPECMV_STATUS_SUCCESS, outcome.detail);
  }
  pthread_attr_destroy(&attributes);
}

TEST_CASE("the deepest texts of fused steps compile in a thread with a stack of 512 KB") {
  if (kSanitized)
    return; // its frames are larger
  passesInChild("child: the deepest texts in a thread of 512 KB");
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
