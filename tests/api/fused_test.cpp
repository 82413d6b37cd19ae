// Tests what runs of fused steps do on a GPU, for all kinds of plans. The GPU is the fake one; that
// results are right, the tests on the host executor and on a GPU show.
#include "tests/api/counting_memory.h"
#include "tests/api/fused_testing.h"

#include <filesystem>

using namespace apitest;

namespace {

// The driver's calls of one launch, and of marking the end of the work.
const std::string kLaunch =
                      "cuCtxGetCurrent cuCtxPushCurrent_v2 cuLaunchKernelEx cuCtxPopCurrent_v2 ",
                  kMark = "cuCtxGetCurrent cuCtxPushCurrent_v2 cuStreamIsCapturing cuEventRecord "
                          "cuCtxPopCurrent_v2 ",
                  kCaptured =
                      "cuCtxGetCurrent cuCtxPushCurrent_v2 cuStreamIsCapturing cuCtxPopCurrent_v2 ";

std::string pointers(int count) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += "cuPointerGetAttributes ";
  return out;
}

specmvFusion_t stepWithoutSums() {
  specmvFusion_t fusion = SPECMV_FUSION_INIT;
  fusion.x = "p", fusion.epilogue = "q = ax;", fusion.vectors = "p, q", fusion.written = "q";
  return fusion;
}

specmvFusion_t stepWithoutProduct() {
  specmvFusion_t fusion = cgStep();
  fusion.x = nullptr;
  fusion.epilogue = "q = p * a + b; pq += p * q;";
  return fusion;
}

std::filesystem::path cacheOf(const char *variable) { return std::getenv(variable); }

size_t countOfFiles(const std::filesystem::path &folder) {
  size_t count = 0;
  if (std::filesystem::exists(folder))
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
      count += entry.is_regular_file();
  return count;
}

} // namespace

TEST_CASE("child: the calls of a run" * doctest::skip()) {
  placeAllOnGpu();
  specmvPlanOptions_t options = gpuOptions("ell", false);
  {
    const Plan plan(squareMatrix(), options);
    const FusedStep step(plan, cgStep());
    const std::string launches = kLaunch + kLaunch;
    for (int i = 0; i < 3; ++i) // the first does what all do: nothing is made
      CHECK(callsOfRun(step) == pointers(4) + launches + kMark);
    *ofFakeDriver<int>("fakeIsCapturing") = 1;
    CHECK(callsOfRun(step) == pointers(4) + launches + kCaptured);
    *ofFakeDriver<int>("fakeIsCapturing") = 0;
    CHECK(callsOfRun(FusedStep(plan, stepWithoutSums())) == pointers(2) + kLaunch + kMark);
    CHECK(callsOfRun(FusedStep(plan, stepWithoutProduct())) == pointers(4) + launches + kMark);
  }
  CHECK(leftOnFakeGpu() == 0);
  options.vectorsOnGpu = 1;
  placeAllOnGpu(false); // nobody asks
  const Plan plan(squareMatrix(), options);
  CHECK(callsOfRun(FusedStep(plan, cgStep())) == kLaunch + kLaunch + kMark);
  *ofFakeDriver<int>("fakeDefaultStreamCalls") = *ofFakeDriver<int>("fakeUnsafeCalls") = 0;
  callsOfRun(FusedStep(plan, cgStep()));
  CHECK(*ofFakeDriver<int>("fakeDefaultStreamCalls") == 0);
  CHECK(*ofFakeDriver<int>("fakeUnsafeCalls") == 0);
}

TEST_CASE("a run of a fused step launches its kernels, and waits for and allocates nothing") {
  passesOnFakeGpu("child: the calls of a run");
}

TEST_CASE("child: no early launches" * doctest::skip()) {
  placeAllOnGpu();
  const Plan plan(squareMatrix(), gpuOptions("ell", false));
  const std::string calls = callsOfRun(FusedStep(plan, cgStep()));
  CHECK(countOf("cuLaunchKernel", calls) == 2);
  CHECK(countOf("cuLaunchKernelEx", calls) == 0);
}

TEST_CASE("kernels are launched as usual on a GPU or by a driver that cannot begin them early") {
  for (const auto &[variable, value, arch] :
       {std::array{"SPECMV_FAKE_ATTRIBUTE", "75=8", "80"}, {"SPECMV_FAKE_DRIVER", "12020", "90"}}) {
    const ScratchDirectory cache("specmv-fake-api");
    passesWithFakeGpu("child: no early launches", {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                                                   {variable, value},
                                                   {"SPECMV_FAKE_NVRTC_ARCH", arch},
                                                   {"SPECMV_CACHE_PATH", ""},
                                                   {"SPECMV_CACHE_DIR", cache.path()}});
  }
}

TEST_CASE("child: steps of all formats" * doctest::skip()) {
  placeAllOnGpu();
  const auto launchesOf = [](const char *format, const specmvFusion_t &fusion) {
    specmvPlanOptions_t options = gpuOptions(format, true);
    const Plan plan(squareMatrix(), options);
    const FusedStep step(plan, fusion);
    const std::string calls = callsOfRun(step);
    CHECK(countOf("cuMemAlloc_v2", calls) == 0);
    CHECK(countOf("cuStreamSynchronize", calls) == 0);
    CHECK(countOf("cuEventSynchronize", calls) == 0);
    CHECK(countOf("cuLaunchKernel", calls) == 0);
    CHECK(callsOfRun(step) == calls);
    REQUIRE(specmvUpdateValues(plan, squareMatrix().val.data(), kStream) == SPECMV_STATUS_SUCCESS);
    CHECK(callsOfRun(step) == calls);
    return launchesIn(calls);
  };
  for (const char *format : {"csr-scalar", "csr-vector", "csr-merge", "ell", "sell", "jad"}) {
    CAPTURE(std::string(format));
    CHECK(launchesOf(format, cgStep()) == 2);
    const int ofExpression = launchesOf(format, cgStepOf("p + a * p"));
    CHECK((ofExpression == 2 || ofExpression == 3)); // as a model says
    CHECK(leftOnFakeGpu() == 0);
  }
  for (const char *format : {"coo", "cusparse-csr"}) {
    CAPTURE(std::string(format));
    const int ofProduct = std::string(format) == "cusparse-csr" ? 0 : 1;
    CHECK(launchesOf(format, cgStep()) >= ofProduct + 2);
    CHECK(launchesOf(format, cgStepOf("p + a * p")) == launchesOf(format, cgStep()) + 1);
    CHECK(launchesOf(format, stepWithoutProduct()) == 2);
    CHECK(leftOnFakeGpu() == 0);
  }
  CHECK(launchesOf("qcsr", cgStep()) == 2);
  CHECK(launchesOf("qcsr", cgStepOf("p + a * p")) == 3); // its kernels read x as a vector
}

TEST_CASE("formats that cannot run statements multiply first, others need two launches") {
  passesOnFakeGpu("child: steps of all formats");
}

// A product of the plan that needs working memory may run while the step's does.
TEST_CASE("child: memory of a step whose product comes first" * doctest::skip()) {
  placeAllOnGpu();
  const auto allocationsOf = [](const char *format, const specmvFusion_t &fusion) {
    const Plan plan(squareMatrix(), gpuOptions(format, false));
    int count = 0;
    const std::string calls = fakeCallsOf([&] {
      const FusedStep step(plan, fusion);
      count = 1;
    });
    CHECK(count == 1);
    return countOf("cuMemsetD8Async", calls); // working memory begins as zeros
  };
  CHECK(allocationsOf("ell", stepWithoutSums()) == 0);
  CHECK(allocationsOf("ell", cgStep()) == 1); // partial sums
  CHECK(allocationsOf("coo", cgStep()) > allocationsOf("ell", cgStep()));
}

TEST_CASE("a step whose product comes first has working memory of its own") {
  passesOnFakeGpu("child: memory of a step whose product comes first");
}

TEST_CASE("child: steps of all kinds of plans" * doctest::skip()) {
  placeAllOnGpu();
  const auto runs = [](const specmvPlanOptions_t &options, auto a, const char *x = "p") {
    {
      const Plan plan(a, options);
      const FusedStep step(plan, cgStepOf(x)), other(plan, cgStepOf(x));
      CHECK(launchesIn(callsOfRun(step)) >= 2);
      CHECK(launchesIn(callsOfRun(other)) >= 2);
    }
    CHECK(leftOnFakeGpu() == 0);
  };
  for (const char *format : {"ell", "csr-vector", "coo"}) {
    CAPTURE(std::string(format));
    specmvPlanOptions_t options = gpuOptions(format, true);
    runs(options, squareMatrix());
    options.operation = SPECMV_OPERATION_TRANSPOSE;
    runs(options, randomCsr<int32_t, double>(40, 30, 3));
    runs(options, randomCsr<int32_t, double>(17, 40, 3), "p * 2");
    options.operation = SPECMV_OPERATION_NON_TRANSPOSE;
    runs(options, randomCsr<int32_t, double>(17, 40, 3), "p * 2");
    runs(options, randomCsr<int64_t, double>(40, 40, 3));
    for (int specmvPlanOptions_t::*flag :
         {&specmvPlanOptions_t::scalarsOnGpu, &specmvPlanOptions_t::scratchPerStream,
          &specmvPlanOptions_t::betaIsZero, &specmvPlanOptions_t::resultApart,
          &specmvPlanOptions_t::vectorsOnGpu}) {
      specmvPlanOptions_t other = options;
      other.*flag = 1;
      runs(other, squareMatrix());
    }
    options.doubleVectors = 1;
    runs(options, randomCsr<int32_t, float>(40, 40, 3));
    options.doubleVectors = 0;
    for (const specmvKernels_t kernels : {SPECMV_KERNELS_GENERAL, SPECMV_KERNELS_SPECIALIZED}) {
      options.kernels = kernels;
      runs(options, squareMatrix());
    }
    options.kernels = SPECMV_KERNELS_BOTH;
    options.start = SPECMV_START_NOW;
    runs(options, squareMatrix());
  }
}

TEST_CASE("plans of all options have fused steps") {
  passesOnFakeGpu("child: steps of all kinds of plans");
}

TEST_CASE("child: steps of empty matrices" * doctest::skip()) {
  placeAllOnGpu();
  for (const auto &[rows, cols] : {std::pair(0, 0), {0, 5}, {5, 0}, {4, 4}})
    for (const char *x : {"p", "p * 2", "3"}) {
      CAPTURE(std::string(x));
      {
        const Plan plan(Csr<int32_t, double>{rows, cols, std::vector<int32_t>(rows + 1, 0), {}, {}},
                        optionsOf(SPECMV_TARGET_GPU));
        const FusedStep step(plan, cgStepOf(x));
        // One block runs even for no rows, since the sums must become 0.
        const std::string calls = callsOfRun(step);
        CHECK(countOf("cuLaunchKernelEx", calls) >= 2);
      }
      CHECK(leftOnFakeGpu() == 0);
    }
  // Vectors without elements may be null.
  const Plan plan(Csr<int32_t, double>{0, 0, {0}, {}, {}}, optionsOf(SPECMV_TARGET_GPU));
  const FusedStep step(plan, cgStep());
  CgOperands operands;
  operands.vectors[0] = operands.vectors[1] = nullptr;
  CHECK(operands.run(step) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("steps of matrices without rows, columns or entries add up their sums") {
  passesOnFakeGpu("child: steps of empty matrices");
}

TEST_CASE("child: a step's memory and cache are its plan's" * doctest::skip()) {
  placeAllOnGpu();
  const ScratchDirectory own("specmv-fused");
  Counting memory;
  specmvContextOptions_t settings = allocatingBy(memory);
  settings.cacheDirectory = own.path().c_str();
  specmvContext_t context = nullptr;
  REQUIRE(specmvCreateContext(&context, &settings) == SPECMV_STATUS_SUCCESS);
  specmvPlanOptions_t options = gpuOptions("ell", false);
  options.context = context;
  const size_t usual = countOfFiles(cacheOf("SPECMV_CACHE_DIR"));
  {
    const Plan plan(squareMatrix(), options);
    specmvDestroyContext(context); // the plan keeps what it needs
    const size_t before = countOfFiles(own.path());
    const size_t live = memory.live.size();
    {
      const FusedStep step(plan, cgStepOf("p * a"));
      CHECK(memory.live.size() > live);
      CHECK(countOfFiles(own.path()) > before);
      callsOfRun(step);
    }
    CHECK(memory.live.size() == live);
  }
  CHECK(memory.isClean());
  CHECK(countOfFiles(cacheOf("SPECMV_CACHE_DIR")) == usual);
  CHECK(leftOnFakeGpu() == 0);
}

TEST_CASE("a fused step takes memory and kernels from where its plan does") {
  passesOnFakeGpu("child: a step's memory and cache are its plan's");
}

TEST_CASE("child: a step whose kernel cannot be kept" * doctest::skip()) {
  const ScratchDirectory scratch("specmv-fused");
  const std::string folder = scratch.path() + "/file";
  writeFile(folder, "no folder");
  int warnings = 0;
  specmvContextOptions_t settings = SPECMV_CONTEXT_OPTIONS_INIT;
  settings.cacheDirectory = folder.c_str();
  settings.log = [](void *user, specmvLogLevel_t level, const char *) {
    *static_cast<int *>(user) += level == SPECMV_LOG_WARNING;
  };
  settings.logUser = &warnings;
  specmvContext_t context = nullptr;
  REQUIRE(specmvCreateContext(&context, &settings) == SPECMV_STATUS_SUCCESS);
  specmvPlanOptions_t options = gpuOptions("ell", false);
  options.context = context;
  {
    const Plan plan(squareMatrix(), options);
    const int ofPlan = warnings;
    const FusedStep step(plan, cgStep());
    CHECK(warnings > ofPlan);
  }
  specmvDestroyContext(context);
}

TEST_CASE("the context's log is told if the kernel of a step cannot be kept") {
  passesOnFakeGpu("child: a step whose kernel cannot be kept");
}
