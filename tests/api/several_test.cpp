// Tests products with several vectors through the C API: on the host, and the refusals.
#include "tests/api/fake_gpu_testing.h"
#include "tests/api/several_testing.h"

#include <limits>

using namespace apitest;

namespace {

constexpr double kOne = 1, kZero = 0;

specmvStatus_t execute(specmvPlan_t plan, int64_t count, const double *x, int64_t ldX, double *y,
                       int64_t ldY, specmvOrder_t order = SPECMV_ORDER_ROW) {
  return specmvExecuteMulti(plan, count, &kOne, x, ldX, &kZero, y, ldY, order, nullptr);
}

Plan severalPlan(int64_t vectors = 4) {
  specmvPlanOptions_t options = hostOptions();
  options.vectors = vectors;
  return Plan(smallCsr(), options);
}

} // namespace

TEST_CASE_TEMPLATE("several vectors on the host", Value, float, double) {
  for (const int64_t vectors : {2, 3, 8, 16, 40}) {
    checkAllCounts(randomCsr<int32_t, Value>(60, 45, 5), hostOptions(), vectors, vectorsOnHost());
    checkAllCounts(randomCsr<int64_t, Value>(9, 70, 20), hostOptions(), vectors, vectorsOnHost());
  }
  for (const auto &[rows, cols] : {std::pair(0, 0), {0, 5}, {5, 0}, {4, 4}})
    checkAllCounts(Csr<int32_t, Value>{rows, cols, std::vector<int32_t>(rows + 1, 0), {}, {}},
                   hostOptions(), 4, vectorsOnHost());
}

// A former bug: they were refused as overlapping.
TEST_CASE_TEMPLATE("X and Y may be columns of one array", Value, float, double) {
  specmvPlanOptions_t options = hostOptions();
  options.vectors = 4;
  for (const auto &[rows, cols] : {std::pair(9, 9), {7, 30}, {30, 7}, {0, 3}, {3, 0}}) {
    const auto a = randomCsr<int32_t, Value>(rows, cols, 4);
    const Plan plan(a, options);
    for (const int64_t count : {1, 2, 5, 16})
      for (const specmvOrder_t order : {SPECMV_ORDER_ROW, SPECMV_ORDER_COLUMN})
        for (const Value beta : {0, 2})
          checkSideBySide(plan, a, count, order, beta, vectorsOnHost());
  }
}

TEST_CASE("X and Y with an element in common are refused, at any strides") {
  const Plan plan = severalPlan();
  std::vector<double> all(64, 1); // X is 4 x 3, Y is 3 x 3
  const std::vector<double> before = all;
  const auto status = [&](int64_t xAt, int64_t ldX, int64_t yAt, int64_t ldY, specmvOrder_t order) {
    return execute(plan, 3, all.data() + xAt, ldX, all.data() + yAt, ldY, order);
  };
  const auto refused = [&](int64_t xAt, int64_t ldX, int64_t yAt, int64_t ldY,
                           specmvOrder_t order) {
    CHECK(status(xAt, ldX, yAt, ldY, order) == SPECMV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE(detailHas("X and Y overlap in memory; they must have no element in common"),
                  detail());
    CHECK(all == before);
  };
  refused(0, 6, 2, 6, SPECMV_ORDER_ROW);    // the last column of X is the first of Y
  refused(3, 6, 1, 6, SPECMV_ORDER_ROW);    // and the other way round
  refused(0, 6, 3, 5, SPECMV_ORDER_ROW);    // in the second line
  refused(0, 7, 4, 8, SPECMV_ORDER_COLUMN); // in the third vector only
  CHECK(status(0, 6, 3, 6, SPECMV_ORDER_ROW) == SPECMV_STATUS_SUCCESS);
  CHECK(status(0, 7, 4, 7, SPECMV_ORDER_COLUMN) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("child: what lies between the columns of Y" * doctest::skip()) {
  specmvPlanOptions_t options = optionsOf(SPECMV_TARGET_GPU, "csr-vector");
  options.vectors = 4;
  const Plan plan(fakeGpuMatrix(), options); // 40 x 30
  const std::vector<double> x(30 * 4, 1);
  for (const specmvOrder_t order : {SPECMV_ORDER_ROW, SPECMV_ORDER_COLUMN}) {
    const bool areRows = order == SPECMV_ORDER_ROW;
    const int64_t leading = areRows ? 7 : 44;
    std::vector<double> y(static_cast<size_t>(areRows ? 40 * leading : 4 * leading), 54321);
    REQUIRE(execute(plan, 4, x.data(), areRows ? 4 : 30, y.data(), leading, order) ==
            SPECMV_STATUS_SUCCESS);
    for (int64_t at = 0; at < std::ssize(y); ++at)
      if (at % leading >= (areRows ? 4 : 40))
        CHECK(y[static_cast<size_t>(at)] == 54321);
  }
}

TEST_CASE("a product whose Y is copied from a GPU writes nothing between its columns") {
  passesOnFakeGpu("child: what lies between the columns of Y");
}

TEST_CASE("several vectors give each the bits that it gets alone") {
  const auto a = randomCsr<int32_t, double>(200, 200, 9);
  specmvPlanOptions_t options = hostOptions();
  options.vectors = 8;
  const Plan plan(a, options);
  std::vector<double> x(200 * 8), y(200 * 8), alone(200);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = 1.0 / static_cast<double>(3 + i);
  REQUIRE(execute(plan, 8, x.data(), 200, y.data(), 200, SPECMV_ORDER_COLUMN) ==
          SPECMV_STATUS_SUCCESS);
  for (size_t j = 0; j < 8; ++j) {
    REQUIRE(specmvExecute(plan, &kOne, x.data() + 200 * j, &kZero, alone.data(), nullptr) ==
            SPECMV_STATUS_SUCCESS);
    CHECK(std::equal(alone.begin(), alone.end(), y.begin() + static_cast<int64_t>(200 * j)));
  }
}

TEST_CASE("a NaN in one vector stays in it") {
  const Plan plan = severalPlan();
  std::vector<double> x(4 * 4, 1), y(3 * 4, 9);
  x[3 * 4 + 2] = std::numeric_limits<double>::quiet_NaN(); // column 3 of vector 2
  REQUIRE(execute(plan, 4, x.data(), 4, y.data(), 4) == SPECMV_STATUS_SUCCESS);
  CHECK(y[0 * 4 + 2] != y[0 * 4 + 2]);
  y[0 * 4 + 2] = 3;
  CHECK(y == std::vector<double>{3, 3, 3, 3, 0, 0, 0, 0, 7, 7, 7, 7});
}

TEST_CASE("what products with several vectors refuse") {
  const Plan plan = severalPlan(), single(smallCsr());
  std::vector<double> x(64, 1), y(64, 7);
  const std::vector<double> before = y;
  const auto isRefused = [&](specmvStatus_t status, const char *why) {
    CHECK(status == SPECMV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE(detailHas(why), detail());
    CHECK(y == before);
  };
  isRefused(execute(nullptr, 4, x.data(), 4, y.data(), 4), "plan is a null pointer");
  isRefused(execute(single, 4, x.data(), 4, y.data(), 4), "make it with the option vectors = 4");
  isRefused(execute(plan, -1, x.data(), 4, y.data(), 4), "count = -1");
  isRefused(execute(plan, int64_t{1} << 31, x.data(), int64_t{1} << 31, y.data(), int64_t{1} << 31),
            "count = 2147483648");
  isRefused(execute(plan, 4, x.data(), 3, y.data(), 4), "ldX = 3 must be 4");
  isRefused(execute(plan, 4, x.data(), 4, y.data(), 2), "ldY = 2 must be 4");
  isRefused(execute(plan, 4, x.data(), 3, y.data(), 3, SPECMV_ORDER_COLUMN), "ldX = 3 must be 4");
  isRefused(execute(plan, 4, x.data(), 4, y.data(), 2, SPECMV_ORDER_COLUMN), "ldY = 2 must be 3");
  isRefused(execute(plan, 4, x.data(), int64_t{1} << 48, y.data(), 4), "exceeds the limit");
  isRefused(execute(plan, 4, x.data(), (int64_t{1} << 48) + 1, y.data(), 4), "ldX = ");
  isRefused(specmvExecuteMulti(plan, 4, &kOne, x.data(), 4, &kZero, y.data(), 4,
                               static_cast<specmvOrder_t>(2), nullptr),
            "order = 2");
  isRefused(execute(plan, 4, nullptr, 4, y.data(), 4), "X is a null pointer");
  isRefused(execute(plan, 4, x.data(), 4, nullptr, 4), "Y is a null pointer");
  isRefused(execute(plan, 4, y.data() + 3, 4, y.data(), 4), "X and Y overlap");
  isRefused(specmvExecuteMulti(plan, 4, nullptr, x.data(), 4, &kZero, y.data(), 4, SPECMV_ORDER_ROW,
                               nullptr),
            "alpha is a null pointer");
  isRefused(
      specmvExecuteMulti(plan, 4, &kOne, x.data(), 4, &kZero, y.data(), 4, SPECMV_ORDER_ROW, &x),
      "stream must be NULL");
  CHECK(execute(plan, 0, nullptr, 0, nullptr, 0) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("options of plans for several vectors") {
  const auto arrays = smallCsr();
  const Matrix a(arrays);
  specmvPlan_t plan = nullptr;
  specmvPlanOptions_t options = hostOptions();
  options.vectors = -2;
  CHECK(specmvCreatePlan(&plan, a, &options) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("vectors = -2"));
  options.vectors = 8;
  options.formats = "jad,csr5";
  CHECK(specmvCreatePlan(&plan, a, &options) == SPECMV_STATUS_NOT_APPLICABLE);
  CHECK(detail() == "csr5 has no kernel for several vectors (likewise jad)");
  options.formats = nullptr;
  options.betaIsZero = 1;
  const Plan noBeta(a, options);
  std::vector<double> x(16, 1), y(12);
  CHECK(specmvExecuteMulti(noBeta, 4, &kOne, x.data(), 4, &kOne, y.data(), 4, SPECMV_ORDER_ROW,
                           nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(detailHas("betaIsZero"));
}

TEST_CASE("several vectors of a plan that begins at once wait for it") {
  specmvPlanOptions_t options = hostOptions();
  options.start = SPECMV_START_NOW;
  checkAllCounts(randomCsr<int32_t, double>(40, 40, 3), options, 4, vectorsOnHost());
}

TEST_CASE("several vectors of a transpose, with values that come later") {
  const auto a = smallCsr();
  specmvMatrixDescription_t d = SPECMV_MATRIX_DESCRIPTION_INIT;
  d.rows = a.rows, d.cols = a.cols, d.nnz = 4;
  d.offsets = a.rowPtr.data(), d.colIndices = a.col.data();
  specmvMatrix_t matrix = nullptr;
  REQUIRE(specmvCreateMatrix(&matrix, &d) == SPECMV_STATUS_SUCCESS);
  specmvPlanOptions_t options = hostOptions();
  options.vectors = 2;
  options.operation = SPECMV_OPERATION_TRANSPOSE;
  {
    const Plan plan(matrix, options);
    const std::vector<double> x{1, 10, 2, 20, 3, 30}; // 3 x 2
    std::vector<double> y(8);
    CHECK(execute(plan, 2, x.data(), 2, y.data(), 2) == SPECMV_STATUS_INVALID_VALUE);
    CHECK(detailHas("no values yet"));
    REQUIRE(specmvUpdateValues(plan, a.val.data(), nullptr) == SPECMV_STATUS_SUCCESS);
    REQUIRE(execute(plan, 2, x.data(), 2, y.data(), 2) == SPECMV_STATUS_SUCCESS);
    CHECK(y == std::vector<double>{2, 20, 9, 90, 12, 120, 1, 10});
  }
  specmvDestroyMatrix(matrix);
}

TEST_CASE("on the host, alpha and beta are there whatever scalarsOnGpu says") {
  specmvPlanOptions_t options = hostOptions();
  options.scalarsOnGpu = 1;
  checkAllCounts(randomCsr<int32_t, double>(30, 20, 4), options, 2, vectorsOnHost());
}

TEST_CASE("child: working memory of the caller on the fake GPU" * doctest::skip()) {
  specmvPlanOptions_t options = optionsOf(SPECMV_TARGET_GPU, "csr-vector");
  options.vectors = 3;
  const Plan plan(fakeGpuMatrix(), options);
  int64_t bytes = -1;
  REQUIRE(specmvGetPlanWorkspace(plan, &bytes) == SPECMV_STATUS_SUCCESS);
  CHECK(bytes == 30 * 4 * 8); // rows of X for a pass of four
  alignas(256) static std::byte memory[30 * 4 * 8];
  const auto refuses = [&](void *workspace, int64_t size, const char *why) {
    CHECK(specmvSetPlanWorkspace(plan, workspace, size) == SPECMV_STATUS_INVALID_VALUE);
    CHECK_MESSAGE(detailHas(why), detail());
  };
  refuses(memory, bytes, "workspace is in host memory");
  *ofFakeDriver<unsigned>("fakeMemoryType") = 2; // from here on all memory is the device's
  refuses(memory + 8, bytes, "8 bytes past a multiple of 256");
  refuses(memory, bytes - 1, "has 959 bytes, but the plan needs 960");
  refuses(memory, -1, "bytes = -1");

  std::vector<double> x(40 * 4, 1), y(40 * 4, 1);
  const auto multiply = [&] {
    CHECK_MESSAGE(execute(plan, 3, x.data(), 30, y.data(), 40, SPECMV_ORDER_COLUMN) ==
                      SPECMV_STATUS_SUCCESS,
                  detail());
    return fakeLive();
  };
  const auto none = fakeLive();
  CHECK(multiply() > none); // the plan's own
  REQUIRE(specmvSetPlanWorkspace(plan, memory, bytes) == SPECMV_STATUS_SUCCESS);
  CHECK(fakeLive() == none); // is freed,
  CHECK(multiply() == none); // and not made again,
  REQUIRE(specmvSetPlanWorkspace(plan, nullptr, 0) == SPECMV_STATUS_SUCCESS);
  CHECK(multiply() > none); // until it is wanted

  options.scratchPerStream = 1;
  const Plan streams(fakeGpuMatrix(), options);
  CHECK(specmvSetPlanWorkspace(streams, memory, bytes) == SPECMV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE(detailHas("scratchPerStream"), detail());
  const Plan one(fakeGpuMatrix(), optionsOf(SPECMV_TARGET_GPU, "csr-vector"));
  REQUIRE(specmvGetPlanWorkspace(one, &bytes) == SPECMV_STATUS_SUCCESS);
  CHECK(bytes == 0);
  CHECK(specmvSetPlanWorkspace(one, memory, 0) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("working memory of the caller replaces the plan's own") {
  passesOnFakeGpu("child: working memory of the caller on the fake GPU");
  const Plan plan = severalPlan(); // on the host
  int64_t bytes = -1;
  REQUIRE(specmvGetPlanWorkspace(plan, &bytes) == SPECMV_STATUS_SUCCESS);
  CHECK(bytes == 0);
  CHECK(specmvSetPlanWorkspace(plan, &bytes, sizeof bytes) == SPECMV_STATUS_SUCCESS);
  CHECK(specmvGetPlanWorkspace(nullptr, &bytes) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(specmvGetPlanWorkspace(plan, nullptr) == SPECMV_STATUS_INVALID_VALUE);
}

TEST_CASE("a plan tells what it multiplies, also of a transpose") {
  specmvPlanOptions_t options = hostOptions();
  options.operation = SPECMV_OPERATION_TRANSPOSE;
  options.vectors = 5;
  const Plan plan(randomCsr<int64_t, float>(30, 20, 4), options);
  specmvPlanShape_t shape = SPECMV_PLAN_SHAPE_INIT;
  REQUIRE(specmvGetPlanShape(plan, &shape) == SPECMV_STATUS_SUCCESS);
  CHECK(shape.rows == 20); // of y
  CHECK(shape.cols == 30);
  CHECK(shape.dataType == SPECMV_R_32F);
  CHECK(shape.operation == SPECMV_OPERATION_TRANSPOSE);
  CHECK(shape.vectors == 8);
  CHECK(specmvGetPlanShape(plan, nullptr) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(specmvGetPlanShape(nullptr, &shape) == SPECMV_STATUS_INVALID_VALUE);
  shape.structSize = 3;
  CHECK(specmvGetPlanShape(plan, &shape) == SPECMV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE(detailHas("structSize = 3"), detail());
}
