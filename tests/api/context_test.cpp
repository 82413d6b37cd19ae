// Tests of contexts: which settings apply, who receives messages, and the report on a plan as JSON.
#include "tests/api/api_testing.h"
#include "tests/runtime/scratch_directory.h"

#include <algorithm>
#include <filesystem>
#include <utility>

using namespace apitest;

namespace {

struct Heard {
  std::vector<std::pair<int, std::string>> messages;

  static void hear(void *user, specmvLogLevel_t level, const char *sentence) {
    static_cast<Heard *>(user)->messages.emplace_back(level, sentence);
  }
  bool has(int level, const std::string &text) const {
    return std::any_of(messages.begin(), messages.end(), [&](const auto &each) {
      return each.first == level && each.second.find(text) != std::string::npos;
    });
  }
};

specmvContextOptions_t heardBy(Heard &heard, specmvLogLevel_t level) {
  specmvContextOptions_t options = SPECMV_CONTEXT_OPTIONS_INIT;
  options.log = Heard::hear;
  options.logUser = &heard;
  options.logLevel = level;
  return options;
}

specmvPlanOptions_t with(specmvContext_t context) {
  specmvPlanOptions_t options = hostOptions();
  options.context = context;
  return options;
}

const Csr<int32_t, double> kMatrix = randomCsr<int32_t, double>(60, 50, 4);

} // namespace

TEST_CASE("a context is refused for a wrong structure, level, number of threads or handle") {
  specmvContext_t context = nullptr;
  CHECK(specmvCreateContext(nullptr, nullptr) == SPECMV_STATUS_INVALID_VALUE);
  specmvContextOptions_t options = SPECMV_CONTEXT_OPTIONS_INIT;
  options.structSize -= 1;
  CHECK(specmvCreateContext(&context, &options) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("sizeof(specmvContextOptions_t)"));
  options = SPECMV_CONTEXT_OPTIONS_INIT;
  options.logLevel = static_cast<specmvLogLevel_t>(5);
  CHECK(specmvCreateContext(&context, &options) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("logLevel = 5"));
  options = SPECMV_CONTEXT_OPTIONS_INIT;
  options.threads = -2;
  CHECK(specmvCreateContext(&context, &options) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("threads = -2"));
  CHECK(context == nullptr);
  CHECK(specmvDestroyContext(nullptr) == SPECMV_STATUS_SUCCESS);
  const Matrix matrix(kMatrix);
  auto *const other = reinterpret_cast<specmvContext_t>(static_cast<specmvMatrix_t>(matrix));
  CHECK(specmvDestroyContext(other) == SPECMV_STATUS_INVALID_VALUE);
  specmvPlan_t plan = nullptr;
  const specmvPlanOptions_t wrong = with(other);
  CHECK(specmvCreatePlan(&plan, matrix, &wrong) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("context"));
}

TEST_CASE("a logger is told what was chosen, and nothing above its level") {
  Heard all, warnings;
  const Context talkative(heardBy(all, SPECMV_LOG_DEBUG));
  const Context quiet(heardBy(warnings, SPECMV_LOG_WARNING));
  const Plan first(kMatrix, with(talkative)), second(kMatrix, with(quiet));
  CHECK(all.has(SPECMV_LOG_INFO, "chosen: "));
  CHECK(all.has(SPECMV_LOG_INFO, "set-up "));
  CHECK(all.has(SPECMV_LOG_DEBUG, "kernel"));
  CHECK_FALSE(all.has(SPECMV_LOG_WARNING, "products run on the host")); // as was asked for
  for (const auto &[level, sentence] : warnings.messages) {
    CHECK(level <= SPECMV_LOG_WARNING);
    CHECK(sentence.find('\n') == std::string::npos);
  }
}

TEST_CASE("a warning names the plan of structureOf that is not followed") {
  Heard heard;
  const Context context(heardBy(heard, SPECMV_LOG_WARNING));
  specmvPlanOptions_t options = with(context);
  options.formats = "coo";
  const Plan first(kMatrix, options);
  options.structureOf = first;
  const Plan followed(kMatrix, options);
  CHECK_FALSE(heard.has(SPECMV_LOG_WARNING, "structureOf"));
  const Plan other(randomCsr<int32_t, double>(61, 50, 4), options);
  CHECK(heard.has(SPECMV_LOG_WARNING, "structureOf is not followed: its plan 'coo"));
  CHECK(heard.has(SPECMV_LOG_WARNING, "does not fit this matrix, 61 x 50 with "));
}

// A former bug: the warning said that the plan for one size does not fit a matrix of that size.
TEST_CASE("a warning gives the reason if packing refuses the plan of structureOf") {
  Heard heard;
  const Context context(heardBy(heard, SPECMV_LOG_WARNING));
  specmvPlanOptions_t options = with(context);
  options.formats = "ell";
  const Plan first(kMatrix, options);
  options.formats = nullptr, options.structureOf = first;
  auto a = kMatrix; // with all entries in one row, which is too long
  std::fill(a.rowPtr.begin() + 1, a.rowPtr.end(), a.rowPtr.back());
  const Plan second(a, options);
  CHECK(heard.has(SPECMV_LOG_WARNING, "structureOf is not followed: its plan 'ell"));
  CHECK(heard.has(SPECMV_LOG_WARNING, "' does not fit: "));
  CHECK(heard.has(SPECMV_LOG_WARNING, "; the plan is chosen anew"));
}

TEST_CASE("new values on the host are taken or refused, and nothing is logged") {
  Heard heard;
  const Context context(heardBy(heard, SPECMV_LOG_WARNING));
  specmvPlanOptions_t options = with(context);
  options.formats = "sell";
  const auto statusWith = [&](int updatable) {
    options.updatable = updatable;
    const Plan plan(kMatrix, options);
    return specmvUpdateValues(plan, kMatrix.val.data(), nullptr);
  };
  CHECK(statusWith(1) == SPECMV_STATUS_SUCCESS);
  CHECK(statusWith(0) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("set updatable in specmvPlanOptions_t"));
  CHECK(heard.messages.empty());
}

TEST_CASE("that there is no GPU is told once, and names without what a terminal obeys") {
  Heard heard;
  specmvContextOptions_t options = heardBy(heard, SPECMV_LOG_WARNING);
  options.packs = "/nowhere/\x1b[31m\n.pack";
  const Context context(options);
  specmvPlanOptions_t automatic = with(context);
  automatic.target = SPECMV_TARGET_AUTO;
  const Plan first(kMatrix, automatic), second(kMatrix, automatic);
  specmvTarget_t target = SPECMV_TARGET_AUTO;
  REQUIRE(specmvGetPlanTarget(first, &target) == SPECMV_STATUS_SUCCESS);
  const auto told = std::count_if(heard.messages.begin(), heard.messages.end(), [](auto &each) {
    return each.second.find("products run on the host") != std::string::npos;
  });
  CHECK(told == (target == SPECMV_TARGET_HOST ? 1 : 0));
  CHECK(heard.has(SPECMV_LOG_WARNING, "/nowhere/\\x1b[31m\\x0a.pack"));
}

TEST_CASE("a destroyed context calls nobody, and its plans multiply") {
  Heard heard;
  Context context(heardBy(heard, SPECMV_LOG_DEBUG));
  specmvPlanOptions_t options = with(context);
  options.start = SPECMV_START_NOW;
  const Plan plan(kMatrix, options);
  context.destroy();
  const size_t before = heard.messages.size();
  CHECK(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
  CHECK(heard.messages.size() == before);
  const std::vector<double> x(50, 1.0);
  std::vector<double> y(60);
  const double one = 1, zero = 0;
  REQUIRE(specmvExecute(plan, &one, x.data(), &zero, y.data(), nullptr) == SPECMV_STATUS_SUCCESS);
  CHECK(y == naiveProduct(kMatrix, 1.0, x, 0.0, y));
}

TEST_CASE("each context has a cache of its own, or none") {
  const ScratchDirectory scratch("specmv-contexts");
  const std::string one = scratch.path() + "/one", two = scratch.path() + "/two";
  specmvContextOptions_t options = SPECMV_CONTEXT_OPTIONS_INIT;
  for (const std::string &path : {one, two}) {
    options.cacheDirectory = path.c_str();
    const Context context(options);
    const Plan plan(kMatrix, with(context));
    CHECK(std::filesystem::exists(path + "/wisdom"));
  }
  options.cacheDirectory = "";
  Heard heard;
  options.log = Heard::hear;
  options.logUser = &heard;
  options.packs = "/nowhere/one.pack";
  const Context none(options);
  const Plan plan(kMatrix, with(none));
  CHECK(heard.has(SPECMV_LOG_WARNING, "packs: /nowhere/one.pack: No such file"));
  CHECK_FALSE(heard.has(SPECMV_LOG_WARNING, "SPECMV_CACHE_DIR"));
}

TEST_CASE(
    "a plan on the host compiles only if that is asked for, and nothing that no cache keeps") {
  const ScratchDirectory scratch("specmv-spares");
  const auto compileMs = [&](const char *cache, int compileOnHost) {
    specmvContextOptions_t options = SPECMV_CONTEXT_OPTIONS_INIT;
    options.cacheDirectory = cache;
    options.packs = "";
    const Context context(options);
    specmvPlanOptions_t compiling = with(context);
    compiling.compileOnHost = compileOnHost;
    const Plan plan(kMatrix, compiling);
    const std::vector<double> x(50, 1.0);
    std::vector<double> y(60);
    const double one = 1, zero = 0;
    CHECK(specmvExecute(plan, &one, x.data(), &zero, y.data(), nullptr) == SPECMV_STATUS_SUCCESS);
    CHECK(y == naiveProduct(kMatrix, 1.0, x, 0.0, y));
    const char *text = nullptr;
    REQUIRE(specmvGetPlanJson(plan, &text) == SPECMV_STATUS_SUCCESS);
    const std::string json = text, key = "\"compile\":";
    return std::stod(json.substr(json.find(key) + key.size()));
  };
  CHECK(compileMs("", 1) == 0);
  CHECK(compileMs("/dev/null/no/folder", 1) == 0);
  const std::string unasked = scratch.path() + "/unasked", cache = scratch.path() + "/cache";
  CHECK(compileMs(unasked.c_str(), 0) == 0);
  CHECK_FALSE(std::filesystem::exists(unasked + "/objects"));
  CHECK(std::filesystem::exists(unasked + "/wisdom"));
  const bool wasCompiled = compileMs(cache.c_str(), 1) > 0;
  CHECK(wasCompiled == std::filesystem::exists(cache + "/objects")); // if NVRTC is here
  CHECK(std::filesystem::exists(cache + "/wisdom"));
}

TEST_CASE("one thread gives the bits that all give") {
  const Csr<int32_t, double> a = randomCsr<int32_t, double>(20000, 20000, 9);
  specmvContextOptions_t options = SPECMV_CONTEXT_OPTIONS_INIT;
  options.threads = 1;
  const Context alone(options);
  const Plan first(a, with(alone)), second(a);
  std::vector<double> x(20000);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = 1.0 / static_cast<double>(i + 1);
  std::vector<double> y(20000), z(20000);
  const double one = 1, zero = 0;
  REQUIRE(specmvExecute(first, &one, x.data(), &zero, y.data(), nullptr) == SPECMV_STATUS_SUCCESS);
  REQUIRE(specmvExecute(second, &one, x.data(), &zero, z.data(), nullptr) == SPECMV_STATUS_SUCCESS);
  CHECK(y == z);
}

TEST_CASE("the report on a plan is a JSON object with all that the manual names") {
  specmvPlanOptions_t options = hostOptions();
  options.updatable = 1;
  const Plan plan(kMatrix, options);
  const std::string json = jsonOf(plan);
  const std::string version = std::string("\"specmv\":\"") + SPECMV_TESTED_VERSION + "\"";
  const auto has = [&](const std::string &text) { return json.find(text) != std::string::npos; };
  CHECK(json.front() == '{');
  CHECK(json.back() == '}');
  CHECK_FALSE(has("\n"));
  for (const char *field :
       {"\"schema\":1", version.c_str(), "\"state\":\"ready\"", "\"target\":\"host\"",
        "\"type\":\"f64\"", "\"updatable\":true", "\"capturable\":false", "\"candidates\":[{",
        "\"predictedUs\":", "\"plan\":{\"format\":", "\"sentence\":\"", "\"setupMs\":{",
        "\"total\":", "\"device\":\"host\""})
    CHECK_MESSAGE(has(field), json);
  for (const char *name : {"text", "report", "createMs", "chosenBy", "kernel", "libraryCall",
                           "whyHost", "gpuRates", "warnings", "signature", "bytes"})
    CHECK_MESSAGE(has("\"" + std::string(name) + "\":"), std::string(name));
}

TEST_CASE("a logger that uses its own context is refused, and does not wait for itself") {
  struct Again {
    specmvContext_t context = nullptr;
    std::vector<specmvStatus_t> statuses = {};
    static void make(void *user, specmvLogLevel_t, const char *) {
      auto &self = *static_cast<Again *>(user);
      const Matrix matrix(kMatrix);
      const specmvPlanOptions_t options = with(self.context);
      specmvPlan_t plan = nullptr;
      self.statuses.push_back(specmvCreatePlan(&plan, matrix, &options));
      self.statuses.push_back(specmvDestroyContext(self.context));
    }
  } again;
  specmvContextOptions_t options = SPECMV_CONTEXT_OPTIONS_INIT;
  options.log = Again::make;
  options.logUser = &again;
  options.logLevel = SPECMV_LOG_INFO;
  const Context context(options);
  again.context = context;
  const Plan plan(kMatrix, with(context));
  REQUIRE_FALSE(again.statuses.empty());
  for (const specmvStatus_t status : again.statuses)
    CHECK(status == SPECMV_STATUS_INVALID_VALUE);
}
