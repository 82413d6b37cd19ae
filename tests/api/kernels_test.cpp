// Tests products by general kernels while a plan's own kernel is compiled, which then takes over.
// The fake GPU shows what is compiled and loaded, and when; its kernels do nothing.
#include "tests/api/fake_gpu_testing.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

using namespace apitest;

namespace {

// (With the results of the fake GPU's kernels, dia has a plan without diagonals.)
specmvPlanOptions_t kernelOptions(specmvKernels_t kernels, const char *format = "dia") {
  specmvPlanOptions_t options = gpuOptions(format, true);
  options.kernels = kernels;
  return options;
}

// Such a plan changes to its own kernels when they are compiled.
specmvPlanOptions_t improvingOptions() {
  specmvPlanOptions_t options = kernelOptions(SPECMV_KERNELS_BOTH);
  options.improves = 1;
  return options;
}

bool jsonHas(specmvPlan_t plan, const char *text) {
  const char *json = nullptr;
  REQUIRE(specmvGetPlanJson(plan, &json) == SPECMV_STATUS_SUCCESS);
  return std::string(json).find(text) != std::string::npos;
}

constexpr const char *kGeneral = R"("are":"general")", *kSpecialized = R"("are":"specialized")";

// Waits until the plan's JSON contains the text. The limit of minutes is for slow machines.
bool comes(specmvPlan_t plan, const char *text) {
  for (int i = 0; i < 120000 && !jsonHas(plan, text); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return jsonHas(plan, text);
}

// Puts the general kernel into the cache, and no other kernel that is loaded.
void compileGeneral() {
  const Plan plan(fakeGpuMatrix(), kernelOptions(SPECMV_KERNELS_GENERAL));
  CHECK(jsonHas(plan, kGeneral));
  CHECK(jsonHas(plan, R"("specialization":null)"));
  CHECK(multiplyFromHost(plan, kStream) == SPECMV_STATUS_SUCCESS);
}

} // namespace

TEST_CASE("child: a plan begins with a general kernel" * doctest::skip()) {
  compileGeneral();
  CHECK(leftOnFakeGpu() == 0);
  {
    const Plan plan(fakeGpuMatrix(), improvingOptions());
    CHECK(multiplyFromHost(plan, kStream) == SPECMV_STATUS_SUCCESS);
    REQUIRE(comes(plan, kSpecialized));
    CHECK(jsonHas(plan, R"("specialization":"ready")"));
    CHECK(multiplyFromHost(plan, kStream) == SPECMV_STATUS_SUCCESS);
    CHECK(specmvUpdateValues(plan, fakeGpuMatrix().val.data(), kStream) == SPECMV_STATUS_SUCCESS);
  }
  CHECK(leftOnFakeGpu() == 0);
  // The plan's own kernel is now loaded.
  const Plan next(fakeGpuMatrix(), kernelOptions(SPECMV_KERNELS_BOTH));
  CHECK(jsonHas(next, kSpecialized));
  CHECK(jsonHas(next, R"("specialization":null)"));
}

TEST_CASE("a plan begins with a general kernel, and its own takes over and is kept") {
  passesOnFakeGpu("child: a plan begins with a general kernel");
}

// To load a kernel, the driver waits for all work on the GPU, and holds up launches meanwhile.
TEST_CASE("child: a plan that may not change loads no other kernel" * doctest::skip()) {
  compileGeneral();
  const specmvPlanOptions_t both = kernelOptions(SPECMV_KERNELS_BOTH);
  const Plan plan(fakeGpuMatrix(), both);
  CHECK(jsonHas(plan, kGeneral));
  CHECK(jsonHas(plan, R"("specialization":null)"));
  // Its own kernel is compiled for programs that have loaded neither.
  const auto isThere = [&] {
    specmvReleaseDevice(0);
    return jsonHas(Plan(fakeGpuMatrix(), both), kSpecialized);
  };
  for (int i = 0; i < 120000 && !isThere(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(isThere());
  CHECK(jsonHas(plan, kGeneral));
  CHECK(multiplyFromHost(plan, kStream) == SPECMV_STATUS_SUCCESS);
  specmvReleaseDevice(0);
  const Plan loaded(fakeGpuMatrix(), kernelOptions(SPECMV_KERNELS_GENERAL));
  CHECK(jsonHas(Plan(fakeGpuMatrix(), both), kGeneral));
}

TEST_CASE("a plan that may not change keeps its general kernel, and later programs find its own") {
  passesOnFakeGpu("child: a plan that may not change loads no other kernel");
}

TEST_CASE("child: general kernels that are as fast" * doctest::skip()) {
  const auto sorted = [](specmvKernels_t kernels) {
    specmvPlanOptions_t options = kernelOptions(kernels, nullptr);
    options.planText = "sell sell.slice=2 sell.sigma=1024 sell.lanes=16 block=256 blocksPerSm=4 "
                       "offset=32 column=32";
    return options;
  };
  { const Plan first(fakeGpuMatrix(), sorted(SPECMV_KERNELS_GENERAL)); }
  const Plan plan(fakeGpuMatrix(), sorted(SPECMV_KERNELS_BOTH));
  CHECK(jsonHas(plan, kGeneral));
  CHECK(jsonHas(plan, R"("specialization":null)"));
}

TEST_CASE("no kernel is compiled that would gain next to nothing") {
  passesOnFakeGpu("child: general kernels that are as fast");
}

TEST_CASE("child: plans that end before their kernels are made" * doctest::skip()) {
  compileGeneral();
  for (int i = 0; i < 30; ++i) {
    const Plan plan(fakeGpuMatrix(), improvingOptions());
    if (i % 2)
      CHECK(multiplyFromHost(plan, kStream) == SPECMV_STATUS_SUCCESS);
    if (i % 3 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(100 * i));
  }
  const Plan started(fakeGpuMatrix(), [] {
    specmvPlanOptions_t options = kernelOptions(SPECMV_KERNELS_BOTH);
    options.start = SPECMV_START_NOW;
    return options;
  }());
  CHECK(specmvPlanWait(started) == SPECMV_STATUS_SUCCESS);
  CHECK(multiplyFromHost(started, kStream) == SPECMV_STATUS_SUCCESS);
  CHECK(comes(started, kSpecialized));
}

TEST_CASE("a plan may end at any moment while its kernel is compiled") {
  passesOnFakeGpu("child: plans that end before their kernels are made");
}

TEST_CASE("child: a plan whose own kernel cannot be had" * doctest::skip()) {
  compileGeneral();
  CHECK(leftOnFakeGpu() == 0);
  setenv("SPECMV_FAKE_NVRTC", "junk", 1); // what it compiles does not load
  const Plan plan(fakeGpuMatrix(), improvingOptions());
  REQUIRE(comes(plan, R"("specialization":"failed")"));
  CHECK(jsonHas(plan, kGeneral));
  CHECK(multiplyFromHost(plan, kStream) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("where the plan's own kernel cannot be had, the general one stays") {
  passesOnFakeGpu("child: a plan whose own kernel cannot be had");
}

TEST_CASE("child: plans that wait for their kernels" * doctest::skip()) {
  compileGeneral();
  for (const bool measures : {false, true}) {
    specmvPlanOptions_t options =
        kernelOptions(measures ? SPECMV_KERNELS_BOTH : SPECMV_KERNELS_SPECIALIZED);
    options.rigor = measures ? SPECMV_RIGOR_MEASURE : SPECMV_RIGOR_ESTIMATE;
    const Plan plan(fakeGpuMatrix(), options);
    CHECK(jsonHas(plan, kSpecialized));
    CHECK(jsonHas(plan, R"("specialization":null)"));
  }
  specmvPlanOptions_t unknown = kernelOptions(static_cast<specmvKernels_t>(3));
  specmvPlan_t plan = nullptr;
  CHECK(specmvCreatePlan(&plan, Matrix(fakeGpuMatrix()), &unknown) == SPECMV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE(detailHas("kernels = 3"), detail());
}

TEST_CASE("plans that are measured, or are asked to, wait for their own kernels") {
  passesOnFakeGpu("child: plans that wait for their kernels");
}

TEST_CASE("child: a plan that is nearly as good is at hand" * doctest::skip()) {
  const auto formatOf = [](specmvPlan_t plan) {
    const char *text = nullptr;
    REQUIRE(specmvGetPlanText(plan, &text) == SPECMV_STATUS_SUCCESS);
    return std::string(text).substr(0, std::string(text).find(' '));
  };
  { const Plan first(fakeGpuMatrix(), kernelOptions(SPECMV_KERNELS_SPECIALIZED, "csr-scalar")); }
  CHECK(leftOnFakeGpu() == 0);
  const specmvPlanOptions_t both = kernelOptions(SPECMV_KERNELS_BOTH, "csr-scalar,csr-vector");
  const Plan plan(fakeGpuMatrix(), both);
  CHECK(formatOf(plan) == "csr-scalar"); // whose kernels are in the cache
  CHECK(jsonHas(plan, R"("better":{"format":"csr-vector")"));
  // The better plan's kernels are compiled afterwards, for the next plan.
  const auto next = [&] { return formatOf(Plan(fakeGpuMatrix(), both)); };
  for (int i = 0; i < 120000 && next() != "csr-vector"; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(next() == "csr-vector");
}

TEST_CASE("a plan takes what is at hand, and the next one the better plan that was compiled then") {
  passesOnFakeGpu("child: a plan that is nearly as good is at hand");
}

static int64_t objectsIn(const std::string &cache) {
  int64_t objects = 0;
  if (std::filesystem::exists(cache + "/objects"))
    for (const auto &entry : std::filesystem::recursive_directory_iterator(cache + "/objects"))
      objects += entry.is_regular_file();
  return objects;
}

// A former bug: the specialized kernels were compiled instead.
TEST_CASE("a host compiles for its cache the kernels that are asked for") {
  const ScratchDirectory scratch("specmv-host-kernels");
  const auto objectsOfWidths = [&](specmvKernels_t kernels, const std::string &cache) {
    specmvContextOptions_t settings = SPECMV_CONTEXT_OPTIONS_INIT;
    settings.cacheDirectory = cache.c_str();
    settings.packs = "";
    specmvContext_t context = nullptr;
    REQUIRE(specmvCreateContext(&context, &settings) == SPECMV_STATUS_SUCCESS);
    for (const int32_t width : {1, 2}) {
      Csr<int32_t, double> a{2, 2, {0, width, 2 * width}, {}, {}};
      for (int32_t i = 0; i < 2 * width; ++i) {
        a.col.push_back(i % width);
        a.val.push_back(i + 1);
      }
      specmvPlanOptions_t options = compilingHostOptions();
      options.formats = "ell";
      options.kernels = kernels;
      options.context = context;
      const Plan plan(a, options);
      CHECK(planTextOf(plan).find("ell.width=" + std::to_string(width)) != std::string::npos);
    }
    specmvDestroyContext(context);
    return objectsIn(cache);
  };
  const int64_t own = objectsOfWidths(SPECMV_KERNELS_SPECIALIZED, scratch.path() + "/own");
  CHECK(objectsOfWidths(SPECMV_KERNELS_GENERAL, scratch.path() + "/general") == own / 2);
}
