// Tests of the GPU model that predicts for plans of the C API: the model of a context, and that of
// the environment.
#include "tests/api/api_testing.h"
#include "tests/runtime/scratch_directory.h"
#include "tests/runtime/store/environment.h"

#include <cstddef>
#include <filesystem>

using namespace apitest;

namespace {

// Its rates are borrowed from the h200, which the JSON of a plan states.
const std::string kBorrowing = SPECMV_SOURCE_DIR "/models/gpus/gt645m.json";

specmvStatus_t makeContextOf(const char *model, specmvContext_t &context) {
  specmvContextOptions_t options = SPECMV_CONTEXT_OPTIONS_INIT;
  options.gpuModel = model;
  options.cacheDirectory = ""; // nothing is compiled: NVRTC does not know that GPU any more
  return specmvCreateContext(&context, &options);
}

// Returns true if a plan on the host with this context is predicted by the borrowing model.
bool borrows(specmvContext_t context) {
  specmvPlanOptions_t options = hostOptions();
  options.context = context;
  const Plan plan(smallCsr(), options);
  const char *json = nullptr;
  REQUIRE(specmvGetPlanJson(plan, &json) == SPECMV_STATUS_SUCCESS);
  const std::string text = json;
  const bool isOwn = text.find("\"gpuRates\":null") != std::string::npos;
  CHECK(isOwn == (text.find("\"gpuRates\":{\"from\":\"h200\"") == std::string::npos));
  return !isOwn;
}

bool borrowsWith(const char *model) {
  specmvContext_t context = nullptr;
  const specmvStatus_t status = makeContextOf(model, context);
  CHECK_MESSAGE(status == SPECMV_STATUS_SUCCESS, detail());
  const bool out = borrows(context);
  specmvDestroyContext(context);
  return out;
}

} // namespace

TEST_CASE("a context's GPU model predicts for its plans, before that of the environment") {
  const Environment unset({{std::string("SPECMV_GPU_MODEL"), ""}});
  CHECK_FALSE(borrowsWith(nullptr));
  CHECK(borrowsWith("gt645m"));
  CHECK(borrowsWith(kBorrowing.c_str()));
  const Environment set({{"SPECMV_GPU_MODEL", kBorrowing}});
  CHECK(borrowsWith(nullptr));
  CHECK_FALSE(borrowsWith("h200"));
  CHECK_FALSE(borrowsWith(""));
}

TEST_CASE("a context reads its GPU model once") {
  const ScratchDirectory scratch("specmv-models");
  const std::string path = scratch.path() + "/my.json";
  writeFile(path, readFile(kBorrowing));
  specmvContext_t context = nullptr;
  REQUIRE(makeContextOf(path.c_str(), context) == SPECMV_STATUS_SUCCESS);
  std::filesystem::remove(path);
  CHECK(borrows(context));
  CHECK(specmvDestroyContext(context) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("a caller that does not know of GPU models gives none") {
  specmvContextOptions_t options = SPECMV_CONTEXT_OPTIONS_INIT;
  options.structSize = offsetof(specmvContextOptions_t, gpuModel);
  options.gpuModel = "/nowhere/behind the end of the structure";
  specmvContext_t context = nullptr;
  CHECK(specmvCreateContext(&context, &options) == SPECMV_STATUS_SUCCESS);
  CHECK(specmvDestroyContext(context) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("a GPU model that cannot be had is an error with its path and who named it") {
  const ScratchDirectory scratch("specmv-models");
  const std::string bad = scratch.path() + "/bad.json";
  writeFile(bad, "{\"name\": 3}");
  specmvContext_t context = nullptr;
  // A former bug: plans failed as if their matrix were wrong, and no message had the path.
  const std::string odd = scratch.path() + "/odd.json", rate = "\"gapNs\"";
  std::string misspelt = readFile(SPECMV_SOURCE_DIR "/models/gpus/h200.json");
  writeFile(odd, misspelt.replace(misspelt.find(rate), rate.size(), "\"gapsNs\""));
  for (const std::string &model :
       {bad, odd, std::string("/nowhere/my.json"), std::string("h300")}) {
    CHECK(makeContextOf(model.c_str(), context) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(context == nullptr);
    CHECK_MESSAGE(detail().rfind("gpuModel: ", 0) == 0, detail());
    CHECK_MESSAGE(detailHas(model), detail());

    const Environment set({{"SPECMV_GPU_MODEL", model}});
    const Matrix matrix(smallCsr());
    const specmvPlanOptions_t options = hostOptions();
    specmvPlan_t plan = nullptr;
    CHECK(specmvCreatePlan(&plan, matrix, &options) == SPECMV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE(detail().rfind("SPECMV_GPU_MODEL: ", 0) == 0, detail());
    CHECK_MESSAGE(detailHas(model), detail());
  }
}
