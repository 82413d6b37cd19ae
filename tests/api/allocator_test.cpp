// Tests that device memory comes from a context's allocator: all of it is taken there and returned,
// whatever fails; and how much of it a plan holds. The GPU is the fake one.
#include "tests/api/counting_memory.h"
#include "tests/api/fake_gpu_testing.h"

using namespace apitest;

namespace {

struct Outcome {
  specmvStatus_t status;
  std::string detail;
};

// Uses a plan in its own context, which is destroyed first, with every kind of allocation: set-up,
// slots of entries, vectors and values on the host, several vectors. Returns the first status that
// is not success.
Outcome useAll(Counting &memory, const char *format, specmvStart_t start = SPECMV_START_WAIT) {
  const auto &a = fakeGpuMatrix();
  const specmvContextOptions_t settings = allocatingBy(memory);
  specmvContext_t context = nullptr;
  REQUIRE(specmvCreateContext(&context, &settings) == SPECMV_STATUS_SUCCESS);
  specmvPlanOptions_t options = gpuOptions(format, true);
  options.context = context;
  options.start = start;
  specmvPlan_t plan = nullptr;
  specmvStatus_t status = specmvCreatePlan(&plan, Matrix(a), &options);
  specmvDestroyContext(context);
  if (status == SPECMV_STATUS_SUCCESS)
    status = multiplyFromHost(plan, nullptr);
  if (status == SPECMV_STATUS_SUCCESS)
    status = specmvPlanWait(plan);
  if (status == SPECMV_STATUS_SUCCESS)
    status = specmvUpdateValues(plan, a.val.data(), nullptr);
  if (status == SPECMV_STATUS_SUCCESS)
    status = multiplyFromHost(plan, nullptr);
  Outcome out{status, detail()};
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  return out;
}

} // namespace

TEST_CASE("child: all device memory of a context" * doctest::skip()) {
  for (const char *format : kFakeGpuFormats)
    for (const specmvStart_t start : {SPECMV_START_WAIT, SPECMV_START_NOW}) {
      CAPTURE(format);
      Counting memory;
      const std::string calls = fakeCallsOf([&] {
        const Outcome out = useAll(memory, format, start);
        CHECK_MESSAGE(out.status == SPECMV_STATUS_SUCCESS, out.detail);
      });
      CHECK(countOf("cuMemAlloc_v2", calls) == 0);
      CHECK(countOf("cuMemFree_v2", calls) == 0);
      CHECK(memory.asked > 3);
      CHECK(memory.isClean());
    }
}

TEST_CASE("all device memory comes from the context's allocator and goes back there") {
  passesOnFakeGpu("child: all device memory of a context");
}

TEST_CASE("child: an allocator that fails" * doctest::skip()) {
  for (const char *format : kFakeGpuFormats) {
    CAPTURE(format);
    Counting good;
    REQUIRE(useAll(good, format).status == SPECMV_STATUS_SUCCESS);
    int refused = 0;
    for (int at = 1; at <= good.asked; ++at) {
      CAPTURE(at);
      Counting memory;
      memory.failsAt = at;
      const Outcome out = useAll(memory, format);
      CHECK(memory.isClean());
      if (out.status == SPECMV_STATUS_SUCCESS)
        continue; // it did with less
      ++refused;
      CHECK(out.status == SPECMV_STATUS_GPU_MEMORY_FULL);
      CHECK_MESSAGE(out.detail.find("allocator returned null for ") != std::string::npos,
                    out.detail);
    }
    CHECK(refused > 0);
  }
}

TEST_CASE("an allocator that gives nothing is told with the bytes, and nothing leaks") {
  passesOnFakeGpu("child: an allocator that fails");
}

TEST_CASE("child: a plan gives memory back on a stream" * doctest::skip()) {
  *ofFakeDriver<int>("fakeHoldsEvents") = 1; // the stream does not come so far
  for (const char *format : kFakeGpuFormats) {
    CAPTURE(format);
    Counting memory;
    const specmvContextOptions_t settings = allocatingBy(memory);
    specmvContext_t context = nullptr;
    REQUIRE(specmvCreateContext(&context, &settings) == SPECMV_STATUS_SUCCESS);
    specmvPlanOptions_t options = gpuOptions(format, true);
    options.context = context;
    specmvPlan_t plan = nullptr;
    REQUIRE(specmvCreatePlan(&plan, Matrix(fakeGpuMatrix()), &options) == SPECMV_STATUS_SUCCESS);
    int stream = 0;
    REQUIRE(multiplyFromHost(plan, &stream) == SPECMV_STATUS_SUCCESS);
    CHECK_FALSE(memory.live.empty());
    CHECK(specmvDestroyPlanAsync(plan, &stream) == SPECMV_STATUS_SUCCESS);
    CHECK(memory.isClean());
    CHECK(memory.lastStream == &stream);
    specmvDestroyContext(context);
  }
}

TEST_CASE("a plan that is destroyed on a stream gives its memory back there at once") {
  passesOnFakeGpu("child: a plan gives memory back on a stream");
}

TEST_CASE("child: an allocator with odd addresses" * doctest::skip()) {
  Counting memory;
  memory.offset = 128;
  const Outcome out = useAll(memory, "ell");
  CHECK(out.status == SPECMV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE(out.detail.find("must be multiples of 256") != std::string::npos, out.detail);
  CHECK(memory.asked > 0);
  CHECK(memory.isClean());
}

TEST_CASE("addresses that are not aligned are given back and refused") {
  passesOnFakeGpu("child: an allocator with odd addresses");
}

TEST_CASE("an allocator has both functions or neither, and older contexts have none") {
  Counting memory;
  specmvContext_t context = nullptr;
  specmvContextOptions_t options = allocatingBy(memory);
  options.deallocate = nullptr;
  CHECK(specmvCreateContext(&context, &options) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("deallocate is NULL, but allocate is not"));
  options = allocatingBy(memory);
  options.allocate = nullptr;
  CHECK(specmvCreateContext(&context, &options) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("allocate is NULL, but deallocate is not"));
  options.structSize = offsetof(specmvContextOptions_t, allocate); // what is behind is not read
  CHECK(specmvCreateContext(&context, &options) == SPECMV_STATUS_SUCCESS);
  specmvDestroyContext(context);
}

TEST_CASE("child: the memory of a plan with copies of vectors and values" * doctest::skip()) {
  const specmvPlanOptions_t options = gpuOptions("ell", true);
  const Plan plan(fakeGpuMatrix(), options);
  const int64_t alone = bytesOf(plan), ofVectors = (30 + 40) * 8,
                ofValues = static_cast<int64_t>(fakeGpuMatrix().val.size()) * 8;
  REQUIRE(multiplyFromHost(plan, kStream) == SPECMV_STATUS_SUCCESS);
  CHECK(bytesOf(plan) == alone + ofVectors);
  REQUIRE(specmvUpdateValues(plan, fakeGpuMatrix().val.data(), kStream) == SPECMV_STATUS_SUCCESS);
  CHECK(bytesOf(plan) == alone + ofVectors + ofValues);
}

// A former bug: these copies did not count.
TEST_CASE("the memory of a plan includes its copies of vectors and values on the host") {
  passesOnFakeGpu("child: the memory of a plan with copies of vectors and values");
}
