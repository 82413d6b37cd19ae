// Tests products of one plan on several streams and threads at once: each stream has its own
// working memory, and products do not interfere. cuSPARSE's products are right on the fake GPU;
// kernels do nothing.
#include "tests/api/fake_gpu_testing.h"

#include <atomic>
#include <thread>

using namespace apitest;

namespace {

void *streamOf(uintptr_t number) { return reinterpret_cast<void *>(number << 8); }

specmvPlanOptions_t severalStreams(const char *format) {
  specmvPlanOptions_t options = gpuOptions(format, true);
  options.scratchPerStream = 1;
  return options;
}

int allocationsIn(const std::string &calls) { return countOf("cuMemAlloc_v2", calls); }

int allocationsOf(specmvPlan_t plan, void *stream) {
  return allocationsIn(fakeCallsOf(
      [&] { CHECK_MESSAGE(multiplyFromHost(plan, stream) == SPECMV_STATUS_SUCCESS, detail()); }));
}

// Returns how many of 50 products, each with its own vectors, are wrong.
int wrongProducts(specmvPlan_t plan, void *stream, uint64_t seed) {
  const auto &a = fakeGpuMatrix();
  int wrong = 0;
  for (uint64_t i = 0; i < 50; ++i) {
    const std::vector<double> x = integers<double>(a.cols, 1000 * seed + i);
    const std::vector<double> before = integers<double>(a.rows, 1000 * seed + i + 500);
    std::vector<double> y = before;
    const double alpha = 2, beta = -1;
    wrong +=
        specmvExecute(plan, &alpha, x.data(), &beta, y.data(), stream) != SPECMV_STATUS_SUCCESS ||
        y != naiveProduct(a, alpha, x, beta, before);
  }
  return wrong;
}

int wrongInThreads(specmvPlan_t plan, bool haveOneStream) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < 4; ++i)
    threads.emplace_back(
        [&, i] { wrong += wrongProducts(plan, streamOf(haveOneStream ? 1 : 1 + i), i); });
  for (std::thread &thread : threads)
    thread.join();
  return wrong;
}

} // namespace

TEST_CASE("child: each stream has memory of its own" * doctest::skip()) {
  for (const char *format : kFakeGpuFormats) {
    CAPTURE(std::string(format));
    {
      const Plan plan(fakeGpuMatrix(), severalStreams(format));
      const bool isLibrary = std::string(format) == "cusparse-csr";
      CHECK(allocationsOf(plan, streamOf(1)) == 2); // x and y
      CHECK(allocationsOf(plan, streamOf(2)) >= 2); // and a workspace
      CHECK(allocationsOf(plan, streamOf(1)) == 0);
      CHECK(allocationsOf(plan, streamOf(2)) == 0);
      if (isLibrary) {
        CHECK(wrongProducts(plan, streamOf(2), 7) == 0);
        REQUIRE(specmvUpdateValues(plan, std::vector<double>(fakeGpuMatrix().val.size()).data(),
                                   streamOf(1)) == SPECMV_STATUS_SUCCESS);
        CHECK(wrongProducts(plan, streamOf(2), 7) > 0); // they read the new values, zeros
      }
    }
    CHECK(leftOnFakeGpu() == 0);
    specmvPlan_t plan = nullptr;
    const specmvPlanOptions_t options = severalStreams(format);
    REQUIRE(specmvCreatePlan(&plan, Matrix(fakeGpuMatrix()), &options) == SPECMV_STATUS_SUCCESS);
    for (uintptr_t i = 1; i < 4; ++i)
      CHECK(multiplyFromHost(plan, streamOf(i)) == SPECMV_STATUS_SUCCESS);
    CHECK(specmvDestroyPlanAsync(plan, streamOf(1)) == SPECMV_STATUS_SUCCESS);
    CHECK(leftOnFakeGpu() == 0); // the memory of all streams
  }
}

TEST_CASE("with scratchPerStream each stream has memory of its own, made once and freed") {
  passesOnFakeGpu("child: each stream has memory of its own");
}

TEST_CASE("child: threads multiply by one plan" * doctest::skip()) {
  const Plan plan(fakeGpuMatrix(), severalStreams("cusparse-csr"));
  CHECK(wrongInThreads(plan, false) == 0);
  CHECK(wrongInThreads(plan, true) == 0);
}

TEST_CASE("threads may multiply by one plan, each on its stream or all on one") {
  passesOnFakeGpu("child: threads multiply by one plan");
  specmvPlanOptions_t options = hostOptions();
  options.scratchPerStream = 1;
  const Plan plan(fakeGpuMatrix(), options);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] { wrong += wrongProducts(plan, nullptr, i); });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("child: the default stream of each thread" * doctest::skip()) {
  const Plan plan(fakeGpuMatrix(), severalStreams("ell"));
  void *const perThread = reinterpret_cast<void *>(uintptr_t{2});
  CHECK(allocationsOf(plan, perThread) == 2);
  CHECK(allocationsOf(plan, perThread) == 0);
  std::thread([&] { CHECK(allocationsOf(plan, perThread) == 2); }).join();
  CHECK(allocationsOf(plan, nullptr) == 2);
}

TEST_CASE("the handle of a thread's default stream is another stream in each thread") {
  passesOnFakeGpu("child: the default stream of each thread");
}

TEST_CASE("child: a first product on a stream that is captured" * doctest::skip()) {
  int &isCapturing = *ofFakeDriver<int>("fakeIsCapturing");
  const Plan library(fakeGpuMatrix(), severalStreams("cusparse-csr"));
  CHECK(multiplyFromHost(library, streamOf(1)) == SPECMV_STATUS_SUCCESS);
  specmvPlanOptions_t options = severalStreams("ell");
  const Plan kernel(fakeGpuMatrix(), options);
  isCapturing = 1;
  CHECK(multiplyFromHost(library, streamOf(2)) == SPECMV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE(detailHas("needs its own working memory on this stream"), detail());
  CHECK(multiplyFromHost(kernel, streamOf(1)) == SPECMV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE(detailHas("bytes of working memory, which cannot be allocated"), detail());
  *ofFakeDriver<unsigned>("fakeMemoryType") = 2; // vectors on the device need no memory
  CHECK(multiplyFromHost(kernel, streamOf(1)) == SPECMV_STATUS_SUCCESS);
  *ofFakeDriver<unsigned>("fakeMemoryType") = 1;
  isCapturing = 0;
  CHECK(multiplyFromHost(library, streamOf(2)) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("what a stream needs is not made while it is captured") {
  passesOnFakeGpu("child: a first product on a stream that is captured");
}

TEST_CASE("child: a plan for several streams waits" * doctest::skip()) {
  specmvPlanOptions_t options = severalStreams("ell");
  options.start = SPECMV_START_NOW;
  options.vectorsOnGpu = 1;
  const Plan plan(fakeGpuMatrix(), options);
  int ready = 0;
  CHECK(specmvPlanReady(plan, &ready) == SPECMV_STATUS_SUCCESS);
  CHECK(ready == 1);
  // Needs no working memory: a product makes the same calls as without the option.
  CHECK(
      fakeCallsOf([&] { multiplyFromHost(plan, streamOf(1)); }) ==
      "cuCtxGetCurrent cuCtxPushCurrent_v2 cuLaunchKernelEx cuCtxPopCurrent_v2 "
      "cuCtxGetCurrent cuCtxPushCurrent_v2 cuStreamIsCapturing cuEventRecord cuCtxPopCurrent_v2 ");
}

TEST_CASE(
    "a plan for several streams is ready when it is made, and costs nothing without scratch") {
  passesOnFakeGpu("child: a plan for several streams waits");
}
