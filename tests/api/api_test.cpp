// Tests the C API's arguments: every function, every failure that the headers document, and which
// call a failure's message belongs to.
#include "tests/api/api_testing.h"
#include "tests/gpu_present.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <thread>

using namespace apitest;

extern "C" const char *headerTest(void);
extern "C" const char *expertHeaderTest(void);

TEST_CASE("a C99 program uses every function") {
  const char *breach = headerTest();
  CHECK_MESSAGE(breach == nullptr, std::string(breach ? breach : ""));
}

TEST_CASE("a C99 program may include the expert's header first") {
  const char *breach = expertHeaderTest();
  CHECK_MESSAGE(breach == nullptr, std::string(breach ? breach : ""));
}

TEST_CASE("every status has a name, a sentence of its own, and the number of the header") {
  const std::vector<std::pair<int, std::string>> statuses = {
      {0, "SPECMV_STATUS_SUCCESS"},         {1, "SPECMV_STATUS_INVALID_VALUE"},
      {2, "SPECMV_STATUS_INVALID_MATRIX"},  {3, "SPECMV_STATUS_NOT_APPLICABLE"},
      {4, "SPECMV_STATUS_MISSING"},         {5, "SPECMV_STATUS_OUT_OF_MEMORY"},
      {6, "SPECMV_STATUS_INTERNAL_ERROR"},  {7, "SPECMV_STATUS_NO_GPU"},
      {8, "SPECMV_STATUS_GPU_MEMORY_FULL"}, {9, "SPECMV_STATUS_OVER_MAX_BYTES"},
      {10, "SPECMV_STATUS_NO_NVRTC"},       {11, "SPECMV_STATUS_NOT_IN_PACKS"}};
  std::set<std::string> sentences;
  for (const auto &[number, name] : statuses) {
    CHECK(specmvStatusName(static_cast<specmvStatus_t>(number)) == name);
    sentences.insert(specmvStatusString(static_cast<specmvStatus_t>(number)));
  }
  CHECK(sentences.size() == statuses.size());
  CHECK(sentences.count("") == 0);
  for (int number : {-1, 12}) {
    CHECK(specmvStatusName(static_cast<specmvStatus_t>(number)) == std::string("unknown status"));
    CHECK(sentences.count(specmvStatusString(static_cast<specmvStatus_t>(number))) == 0);
  }
}

TEST_CASE("the version is that of the build") {
  int major = 0, minor = 0, patch = 0;
  REQUIRE(sscanf(SPECMV_TESTED_VERSION, "%d.%d.%d", &major, &minor, &patch) == 3);
  CHECK(specmvGetVersion() == major * 10000 + minor * 100 + patch);
}

TEST_CASE("a matrix is refused for null pointers, negative sizes and unknown types") {
  const Csr<int32_t, double> a = smallCsr();
  const int32_t *rowPtr = a.rowPtr.data(), *col = a.col.data();
  const double *val = a.val.data();
  const auto i32 = SPECMV_INDEX_32I;
  const auto f64 = SPECMV_R_64F;
  specmvMatrix_t m = nullptr;
  const auto is = [](specmvStatus_t status, const char *named) {
    INFO(detail());
    CHECK(status == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detailHas(named));
  };
  is(specmvCreateCsr(nullptr, 3, 4, 4, rowPtr, col, val, i32, f64), "matrix");
  is(specmvCreateCsr(&m, 3, 4, 4, nullptr, col, val, i32, f64), "rowPtr");
  is(specmvCreateCsr(&m, 3, 4, 4, rowPtr, nullptr, val, i32, f64), "col");
  is(specmvCreateCsr(&m, 3, 4, 4, rowPtr, col, nullptr, i32, f64), "val");
  is(specmvCreateCsr(&m, -3, 4, 4, rowPtr, col, val, i32, f64), "-3");
  is(specmvCreateCsr(&m, 3, -5, 4, rowPtr, col, val, i32, f64), "-5");
  is(specmvCreateCsr(&m, 3, 4, -7, rowPtr, col, val, i32, f64), "-7");
  is(specmvCreateCsr(&m, 3, 4, 4, rowPtr, col, val, static_cast<specmvIndexType_t>(2), f64), "2");
  is(specmvCreateCsr(&m, 3, 4, 4, rowPtr, col, val, i32, static_cast<specmvDataType_t>(2)), "2");
  CHECK(m == nullptr);
}

TEST_CASE("a plan is refused for null pointers and unknown targets and rigors") {
  const Csr<int32_t, double> a = smallCsr();
  const Matrix m(a);
  specmvPlan_t plan = nullptr;
  const specmvPlanOptions_t options = hostOptions();
  CHECK(specmvCreatePlan(nullptr, m, &options) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(specmvCreatePlan(&plan, nullptr, &options) == SPECMV_STATUS_INVALID_VALUE);
  for (int unknown : {-1, 5}) {
    specmvPlanOptions_t bad = options;
    bad.target = static_cast<specmvTarget_t>(unknown);
    CHECK(specmvCreatePlan(&plan, m, &bad) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detailHas("target"));
    bad = options;
    bad.rigor = static_cast<specmvRigor_t>(unknown);
    CHECK(specmvCreatePlan(&plan, m, &bad) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detailHas("rigor"));
  }
  for (const specmvTarget_t target : {SPECMV_TARGET_AUTO, SPECMV_TARGET_GPU, SPECMV_TARGET_HOST}) {
    specmvPlanOptions_t bad = optionsOf(target);
    bad.device = -1;
    CHECK(specmvCreatePlan(&plan, m, &bad) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detailHas("device = -1"));
  }
  CHECK(plan == nullptr);
}

TEST_CASE("expectedProducts: 0 is unknown, a negative number is refused, older callers have none") {
  const Csr<int32_t, double> a = smallCsr();
  const Matrix m(a);
  specmvPlan_t plan = nullptr;
  specmvPlanOptions_t options = hostOptions();
  options.expectedProducts = -1;
  CHECK(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("expectedProducts = -1"));
  options.structSize = offsetof(specmvPlanOptions_t, expectedProducts); // an older caller's
  CHECK(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_SUCCESS);
  specmvDestroyPlan(plan);
  options.structSize = sizeof options;
  options.expectedProducts = 1000;
  CHECK(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_SUCCESS);
  specmvDestroyPlan(plan);
}

TEST_CASE("on the host a trial is an estimate, and a measurement is refused") {
  const Csr<int32_t, double> a = smallCsr();
  const Matrix m(a);
  specmvPlan_t plan = nullptr;
  specmvPlanOptions_t options = hostOptions();
  for (const int64_t products : {0, 1, 1000}) {
    options.rigor = SPECMV_RIGOR_TRIAL, options.expectedProducts = products;
    CHECK(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_SUCCESS);
    specmvDestroyPlan(plan);
  }
  static_assert(SPECMV_RIGOR_TRIAL == 3);
  plan = nullptr;
  options.rigor = SPECMV_RIGOR_MEASURE;
  CHECK(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_NO_GPU);
  CHECK(detailHas("(in C SPECMV_RIGOR_ESTIMATE)"));
  CHECK(plan == nullptr);
}

// A former bug: the detail contained an escape sequence and a line end, unescaped.
TEST_CASE("a detail shows what a terminal would obey") {
  const Csr<int32_t, double> a = smallCsr();
  const Matrix m(a);
  specmvPlan_t plan = nullptr;
  const specmvPlanOptions_t options = optionsOf(SPECMV_TARGET_HOST, "a\xc3\xa9\x1b[31m\n");
  CHECK(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE(detailHas("a\xc3\xa9\\x1b[31m\\x0a"), detail());
}

TEST_CASE("structSize is looked at before anything else of the options") {
  const Csr<int32_t, double> a = smallCsr();
  const Matrix m(a);
  specmvPlan_t plan = nullptr;
  specmvPlanOptions_t options = hostOptions();
  for (size_t size : {0, 1, 8, 12}) { // a former bug: the size of a pointer was taken
    options.structSize = size;
    CHECK(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detailHas("structSize = " + std::to_string(size)));
    CHECK(plan == nullptr);
  }
}

TEST_CASE("a caller of an older header, whose options end earlier, gets the defaults") {
  const Csr<int32_t, double> a = smallCsr();
  const Matrix m(a);
  specmvPlanOptions_t options = hostOptions();
  options.structSize = offsetof(specmvPlanOptions_t, formats);
  options.formats = "no such format"; // beyond the older structure: must not be read
  specmvPlan_t plan = nullptr;
  CHECK(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_SUCCESS);
  specmvDestroyPlan(plan);
}

TEST_CASE("a format that does not fit is NOT_APPLICABLE, with the reason of each") {
  Csr<int32_t, double> a{4000, 4000, {0}, {}, {}}; // one full row, the others empty
  for (int32_t j = 0; j < 4000; ++j)
    a.col.push_back(j);
  a.val.assign(4000, 1);
  a.rowPtr.assign(4001, 4000);
  a.rowPtr[0] = 0;
  const Matrix m(a);
  specmvPlanOptions_t options = hostOptions();
  options.formats = "ell";
  specmvPlan_t plan = nullptr;
  CHECK(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_NOT_APPLICABLE);
  CHECK(detailHas("ell"));
  CHECK(detailHas("4000"));
  CHECK(plan == nullptr);
}

TEST_CASE("a GPU that is not there is MISSING") {
  if (gpuIsPresent()) {
    MESSAGE("skipped: there is a GPU");
    return;
  }
  const Csr<int32_t, double> a = smallCsr();
  const Matrix m(a);
  specmvPlanOptions_t options = hostOptions();
  options.target = SPECMV_TARGET_GPU;
  specmvPlan_t plan = nullptr;
  CHECK(specmvCreatePlan(&plan, m, &options) == SPECMV_STATUS_NO_GPU);
  CHECK(detail() != "");
  CHECK(plan == nullptr);
  options.target = SPECMV_TARGET_AUTO;
  const Plan automatic(m, options);
  specmvTarget_t target = SPECMV_TARGET_AUTO;
  CHECK(specmvGetPlanTarget(automatic, &target) == SPECMV_STATUS_SUCCESS);
  CHECK(target == SPECMV_TARGET_HOST);
}

TEST_CASE("a product is refused for null pointers, a stream on the host and a broken promise") {
  const Csr<int32_t, double> a = smallCsr();
  specmvPlanOptions_t options = hostOptions();
  options.betaIsZero = 1;
  const Plan plan(a, options);
  const std::vector<double> x{1, 10, 100, 1000};
  const std::vector<double> before{5, 6, 7};
  std::vector<double> y = before;
  const double one = 1, zero = 0, nan = NAN;
  int stream = 0;
  const auto is = [&](specmvStatus_t status, const char *named) {
    INFO(detail());
    CHECK(status == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detailHas(named));
  };
  is(specmvExecute(nullptr, &one, x.data(), &zero, y.data(), nullptr), "plan");
  is(specmvExecute(plan, nullptr, x.data(), &zero, y.data(), nullptr), "alpha");
  is(specmvExecute(plan, &one, nullptr, &zero, y.data(), nullptr), "x");
  is(specmvExecute(plan, &one, x.data(), nullptr, y.data(), nullptr), "beta");
  is(specmvExecute(plan, &one, x.data(), &zero, nullptr, nullptr), "y");
  is(specmvExecute(plan, &one, x.data(), &zero, y.data(), &stream), "stream");
  is(specmvExecute(plan, &one, x.data(), &one, y.data(), nullptr), "betaIsZero");
  is(specmvExecute(plan, &one, x.data(), &nan, y.data(), nullptr), "betaIsZero");
  CHECK(y == before);
  CHECK(specmvExecute(plan, &one, x.data(), &zero, y.data(), nullptr) == SPECMV_STATUS_SUCCESS);
  CHECK(y == std::vector<double>{1002, 0, 430});
}

TEST_CASE("x and y that overlap are refused, x and y that touch are not") {
  const Plan plan(smallCsr()); // x has 4 values, y has 3
  const double one = 1, zero = 0;
  for (int xAt = 0; xAt < 9; ++xAt)
    for (int yAt = 0; yAt < 9; ++yAt) {
      std::vector<double> memory(13, 1.0);
      CAPTURE(xAt);
      CAPTURE(yAt);
      const bool overlap = xAt < yAt + 3 && yAt < xAt + 4;
      const specmvStatus_t status =
          specmvExecute(plan, &one, &memory[xAt], &zero, &memory[yAt], nullptr);
      CHECK(status == (overlap ? SPECMV_STATUS_INVALID_VALUE : SPECMV_STATUS_SUCCESS));
      if (overlap)
        CHECK(memory == std::vector<double>(13, 1.0));
    }
}

TEST_CASE("questions about a plan want a plan and a place for the answer") {
  const Plan plan(smallCsr());
  const char *text = nullptr;
  specmvTarget_t target = SPECMV_TARGET_AUTO;
  double milliseconds = -1;
  int64_t bytes = -1;
  CHECK(specmvGetPlanText(nullptr, &text) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(specmvGetPlanText(plan, nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(specmvGetPlanTarget(nullptr, &target) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(specmvGetPlanTarget(plan, nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(specmvGetPlanSetup(nullptr, &milliseconds, &bytes) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(specmvGetPlanTarget(plan, &target) == SPECMV_STATUS_SUCCESS);
  CHECK(target == SPECMV_TARGET_HOST);
  CHECK(specmvGetPlanSetup(plan, &milliseconds, &bytes) == SPECMV_STATUS_SUCCESS);
  CHECK(milliseconds > 0);
  CHECK(bytes >= 4 * (4 + 8)); // four entries, each an index and a value
}

TEST_CASE("nothing is destroyed without complaint") {
  CHECK(specmvDestroyMatrix(nullptr) == SPECMV_STATUS_SUCCESS);
  CHECK(specmvDestroyPlan(nullptr) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("the detail is that of this thread's last failure") {
  CHECK(specmvCreateCsr(nullptr, 0, 0, 0, nullptr, nullptr, nullptr, SPECMV_INDEX_32I,
                        SPECMV_R_32F) == SPECMV_STATUS_INVALID_VALUE);
  const std::string mine = detail();
  CHECK(mine != "");
  std::string before = "not asked", after;
  std::thread([&] {
    before = detail();
    specmvGetPlanText(nullptr, nullptr);
    after = detail();
  }).join();
  CHECK(before == "");
  CHECK(after != "");
  CHECK(after != mine);
  CHECK(detail() == mine);
  CHECK(specmvDestroyPlan(nullptr) == SPECMV_STATUS_SUCCESS);
  CHECK(detail() == mine); // a success in between is no failure
}
