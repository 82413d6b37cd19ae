// Tests new values for a plan: refusals, products on the host, and the driver calls of a plan on a
// GPU; the driver is the tests' own.
#include "tests/api/api_testing.h"
#include "tests/runtime/cuda/fake_driver.h"

#include <algorithm>

using namespace apitest;

namespace {

// Returns the driver calls that an update of smallCsr() makes, without those about contexts; its
// values are on the device or on the host.
std::string callsOfUpdate(const char *format, bool updatable, bool onDevice) {
  const Plan plan(smallCsr(), gpuOptions(format, updatable));
  const std::vector<double> val{5, 6, 7, 8};
  *ofFakeDriver<unsigned>("fakeMemoryType") = onDevice ? 2 : 1;
  const auto update = [&] { return specmvUpdateValues(plan, val.data(), nullptr); };
  CHECK_MESSAGE(update() == SPECMV_STATUS_SUCCESS, detail()); // a buffer may be made
  const std::string calls = fakeCallsOf([&] { CHECK(update() == SPECMV_STATUS_SUCCESS); });
  *ofFakeDriver<unsigned>("fakeMemoryType") = 1;
  std::string out;
  for (const char *call : {"cuMemcpyHtoDAsync_v2", "cuMemcpyDtoDAsync_v2", "cuLaunchKernel",
                           "cuStreamSynchronize", "cuMemcpyHtoD_v2"})
    for (int i = countOf(call, calls); i > 0; --i)
      out += std::string(out.empty() ? "" : " ") + call;
  return out;
}

specmvPlanOptions_t updatableOnHost() {
  specmvPlanOptions_t options = hostOptions();
  options.updatable = 1;
  return options;
}

// Returns a detail that names a plan, without the plan's numbers.
std::string withoutNumbers(std::string sentence) {
  const size_t begin = sentence.find(' ', sentence.find("plan '") + 6);
  return sentence.erase(begin, sentence.find('\'', begin) - begin);
}

// Updates plans in several formats, and of a transpose; returns the refusals, "" where there is
// none. They name plans without their numbers, since the tests' driver finds no profile.
std::vector<std::string> answersOf(specmvTarget_t target) {
  const auto a = smallCsr();
  std::vector<std::string> out;
  const auto add = [&](specmvPlanOptions_t options) {
    const Plan plan(a, options);
    const specmvStatus_t status = specmvUpdateValues(plan, a.val.data(), nullptr);
    CHECK((status == SPECMV_STATUS_SUCCESS || status == SPECMV_STATUS_INVALID_VALUE));
    out.push_back(status == SPECMV_STATUS_SUCCESS ? "" : withoutNumbers(detail()));
    const char *json = nullptr;
    REQUIRE(specmvGetPlanJson(plan, &json) == SPECMV_STATUS_SUCCESS);
    CHECK((std::string(json).find("\"updatable\":true") != std::string::npos) ==
          out.back().empty());
  };
  for (const char *format : {"csr-vector", "csr-merge", "coo", "ell", "sell", "jad", "csr5"})
    add(optionsOf(target, format));
  specmvPlanOptions_t transposed = optionsOf(target, "csr-vector");
  transposed.operation = SPECMV_OPERATION_TRANSPOSE;
  add(transposed);
  transposed.updatable = 1;
  add(transposed);
  return out;
}

// Asks for a plan that reads no values, for a matrix with or without values; returns the refusal,
// "" if there is none. Such a plan takes new values (recode_test.cpp).
std::string answerToOnes(specmvTarget_t target, bool updatable, bool hasValues) {
  auto a = smallCsr();
  a.val.assign(a.val.size(), 3);
  specmvMatrixDescription_t description = SPECMV_MATRIX_DESCRIPTION_INIT;
  description.rows = a.rows;
  description.cols = a.cols;
  description.nnz = static_cast<int64_t>(a.val.size());
  description.offsets = a.rowPtr.data();
  description.colIndices = a.col.data();
  description.values = hasValues ? a.val.data() : nullptr;
  specmvMatrix_t matrix = nullptr;
  REQUIRE(specmvCreateMatrix(&matrix, &description) == SPECMV_STATUS_SUCCESS);
  specmvPlanOptions_t options = optionsOf(target);
  options.planText = "csr-vector csr.lanes=2 block=256 offset=32 column=32 values=ones";
  options.updatable = updatable;
  specmvPlan_t plan = nullptr;
  const specmvStatus_t made = specmvCreatePlan(&plan, matrix, &options);
  CHECK((made == SPECMV_STATUS_SUCCESS || made == SPECMV_STATUS_NOT_APPLICABLE));
  std::string answer = made == SPECMV_STATUS_SUCCESS ? "" : detail();
  if (made == SPECMV_STATUS_SUCCESS)
    CHECK(specmvUpdateValues(plan, a.val.data(), nullptr) == SPECMV_STATUS_SUCCESS);
  specmvDestroyPlan(plan);
  specmvDestroyMatrix(matrix);
  return answer;
}

} // namespace

TEST_CASE("new values are refused for null pointers, and on the host with a stream") {
  const Plan plan(smallCsr(), updatableOnHost());
  const std::vector<double> val{5, 6, 7, 8};
  int stream = 0;
  CHECK(specmvUpdateValues(nullptr, val.data(), nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("plan is a null pointer"));
  CHECK(specmvUpdateValues(plan, nullptr, nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("val is a null pointer"));
  CHECK(specmvUpdateValues(plan, val.data(), &stream) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("stream must be NULL"));
}

TEST_CASE("a matrix without entries takes no values") {
  const Plan plan(Csr<int32_t, double>{2, 2, {0, 0, 0}, {}, {}});
  CHECK(specmvUpdateValues(plan, nullptr, nullptr) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("products on the host use the new values, also of entries that repeat") {
  auto a = randomCsr<int64_t, float>(50, 20, 6);
  const Plan plan(a, updatableOnHost());
  const std::vector<float> x = integers<float>(20, 3);
  for (uint64_t round = 0; round < 3; ++round) {
    a.val = integers<float>(static_cast<int64_t>(a.val.size()), round);
    std::vector<float> val = a.val, y(50);
    REQUIRE(specmvUpdateValues(plan, val.data(), nullptr) == SPECMV_STATUS_SUCCESS);
    std::fill(val.begin(), val.end(), 99.0F); // the plan has a copy
    const float alpha = 1, beta = 0;
    REQUIRE(specmvExecute(plan, &alpha, x.data(), &beta, y.data(), nullptr) ==
            SPECMV_STATUS_SUCCESS);
    CHECK(y == naiveProduct(a, alpha, x, beta, y));
  }
}

TEST_CASE("child: new values of plans on a GPU" * doctest::skip()) {
  // A copy if the entries keep their order, otherwise the kernel; values on the host are waited
  // for.
  CHECK(callsOfUpdate("csr-vector", false, true) == "cuMemcpyDtoDAsync_v2");
  CHECK(callsOfUpdate("csr-vector", false, false) ==
        "cuMemcpyHtoDAsync_v2 cuMemcpyDtoDAsync_v2 cuStreamSynchronize");
  CHECK(callsOfUpdate("ell", true, true) == "cuLaunchKernel");
  CHECK(callsOfUpdate("ell", true, false) ==
        "cuMemcpyHtoDAsync_v2 cuLaunchKernel cuStreamSynchronize");
}

TEST_CASE("child: values that are fixed" * doctest::skip()) {
  const Plan plan(smallCsr(), gpuOptions("ell", false));
  const std::vector<double> val{5, 6, 7, 8};
  CHECK(specmvUpdateValues(plan, val.data(), nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("set updatable in specmvPlanOptions_t"));
  CHECK(detailHas("ell.width"));
}

TEST_CASE("child: values on a GPU for a plan on the host" * doctest::skip()) {
  const Plan plan(smallCsr(), updatableOnHost());
  const std::vector<double> val{5, 6, 7, 8};
  *ofFakeDriver<unsigned>("fakeMemoryType") = 2;
  CHECK(specmvUpdateValues(plan, val.data(), nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("val is in GPU memory"));
}

// A former bug: the host took all new values, also of plans that a GPU refuses.
TEST_CASE("child: the host refuses new values like a GPU" * doctest::skip()) {
  const std::vector<std::string> onHost = answersOf(SPECMV_TARGET_HOST);
  CHECK(onHost == answersOf(SPECMV_TARGET_GPU));
  const auto refused = std::count_if(onHost.begin(), onHost.end(), [](const std::string &answer) {
    return answer.find("set updatable in specmvPlanOptions_t") != std::string::npos;
  });
  CHECK(refused == 5); // ell, sell, jad, csr5 and the transpose
  for (const bool updatable : {false, true})
    for (const bool hasValues : {false, true}) {
      const std::string answer = answerToOnes(SPECMV_TARGET_HOST, updatable, hasValues);
      CHECK(answer == answerToOnes(SPECMV_TARGET_GPU, updatable, hasValues));
      CHECK((answer.find("which new values need not fit") != std::string::npos) ==
            (updatable || !hasValues));
    }
}

// A former bug: the plan that was named was refused, in place of being made anew.
TEST_CASE("a plan of equal values is not followed for values that change") {
  auto a = smallCsr();
  a.val.assign(a.val.size(), 3);
  specmvPlanOptions_t options = hostOptions();
  options.planText = "csr-vector csr.lanes=2 block=256 offset=32 column=32 values=ones";
  const Plan first(a, options);
  options = updatableOnHost();
  options.structureOf = first;
  const Plan second(a, options);
  CHECK(planTextOf(second).find("values=ones") == std::string::npos);
  CHECK(specmvUpdateValues(second, a.val.data(), nullptr) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("a plan on a GPU takes new values in few calls, or says why it does not") {
  for (const char *name : {"child: new values of plans on a GPU", "child: values that are fixed",
                           "child: values on a GPU for a plan on the host",
                           "child: the host refuses new values like a GPU"}) {
    const ScratchDirectory cache("specmv-update");
    passesWithFakeGpu(name, {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                             {"SPECMV_CACHE_PATH", ""},
                             {"SPECMV_CACHE_DIR", cache.path()}});
  }
}
