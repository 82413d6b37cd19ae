// Tests working memory that the caller gives to plans on a GPU, for products with several vectors.
#include "runtime/cuda/overlap.h"
#include "runtime/cuda/streams.h"
#include "tests/gpu/device_vectors.h"

using namespace specmv;
using namespace apitest;

TEST_CASE("plans share the working memory of the caller") {
  const auto gpu = gpuMachine().gpu;
  const auto a = bandCsr<double>(3000);
  const auto longRow = longRowCsr<double>();
  specmvPlanOptions_t options = apitest::optionsOf(SPECMV_TARGET_GPU, "csr-merge");
  options.vectors = 4;
  const apitest::Plan first(a, options), second(longRow, options);
  options.formats = "sell";
  options.vectors = 16;
  const apitest::Plan third(a, options);
  int64_t most = 0;
  for (const apitest::Plan *plan : {&first, &second, &third}) {
    int64_t bytes = 0;
    REQUIRE(specmvGetPlanWorkspace(*plan, &bytes) == SPECMV_STATUS_SUCCESS);
    CHECK(bytes > 0);
    most = std::max(most, bytes);
  }
  auto memory = llvm::cantFail(gpu->allocate(static_cast<size_t>(most)));
  llvm::cantFail(gpu->fill(memory.pointer(), 0xff, memory.bytes(), nullptr)); // NaN
  auto *const workspace = reinterpret_cast<void *>(memory.pointer());
  const auto checkAll = [&] {
    for (const int64_t count : {4, 3, 16, 21})
      for (const specmvOrder_t order : {SPECMV_ORDER_ROW, SPECMV_ORDER_COLUMN}) {
        checkSeveral(first, a, count, 1, order, 3.0, vectorsOnDevice());
        checkSeveral(second, longRow, count, 0, order, 0.0, vectorsOnDevice());
        checkSeveral(third, a, count, 2, order, 0.0, vectorsOnDevice());
      }
  };
  checkAll(); // with memory of their own
  for (const apitest::Plan *plan : {&first, &second, &third})
    REQUIRE(specmvSetPlanWorkspace(*plan, workspace, most) == SPECMV_STATUS_SUCCESS);
  checkAll();
  llvm::cantFail(gpu->fill(memory.pointer(), 0xff, memory.bytes(), nullptr)); // used meanwhile
  checkAll();
  CHECK(specmvSetPlanWorkspace(first, static_cast<char *>(workspace) + 128, most) ==
        SPECMV_STATUS_INVALID_VALUE);
  CHECK(specmvSetPlanWorkspace(first, &most, most) == SPECMV_STATUS_INVALID_VALUE);
  CHECK(specmvSetPlanWorkspace(first, workspace, 8) == SPECMV_STATUS_INVALID_VALUE);
  for (const apitest::Plan *plan : {&first, &second, &third})
    REQUIRE(specmvSetPlanWorkspace(*plan, nullptr, 0) == SPECMV_STATUS_SUCCESS);
  checkAll();
}

TEST_CASE("working memory of the caller holds vectors in double of a matrix in float") {
  const auto gpu = gpuMachine().gpu;
  const auto a = bandCsr<float>(3000);
  specmvPlanOptions_t options = apitest::optionsOf(SPECMV_TARGET_GPU, "sell");
  options.vectors = 8;
  options.doubleVectors = 1;
  const apitest::Plan plan(a, options);
  int64_t bytes = 0;
  REQUIRE(specmvGetPlanWorkspace(plan, &bytes) == SPECMV_STATUS_SUCCESS);
  CHECK(bytes == 3000 * 8 * 8);
  auto memory = llvm::cantFail(gpu->allocate(static_cast<size_t>(bytes))); // memcheck sees its end
  REQUIRE(specmvSetPlanWorkspace(plan, reinterpret_cast<void *>(memory.pointer()), bytes) ==
          SPECMV_STATUS_SUCCESS);
  const VectorPlace place = vectorsOnDevice();
  std::vector<double> x(3000 * 8, 1 + 0x1p-30), y(3000 * 8, 0);
  const auto dx = place.give(x.data(), x.size() * 8), dy = place.give(y.data(), y.size() * 8);
  const double one = 1, zero = 0;
  REQUIRE(specmvExecuteMulti(plan, 8, &one, dx.get(), 3000, &zero, dy.get(), 3000,
                             SPECMV_ORDER_COLUMN, nullptr) == SPECMV_STATUS_SUCCESS);
  place.take(y.data(), dy.get(), y.size() * 8);
  const Csr<int32_t, double> wide{a.rows, a.cols, a.rowPtr, a.col, {a.val.begin(), a.val.end()}};
  const std::vector<double> each = naiveProduct<int32_t, double>(
      wide, 1, std::vector<double>(3000, 1 + 0x1p-30), 0, std::vector<double>(3000));
  for (size_t i = 0; i < y.size(); ++i)
    REQUIRE(y[i] == each[i % 3000]);
}

TEST_CASE("with working memory of the caller a product is captured at once") {
  const auto gpu = gpuMachine().gpu;
  const auto a = bandCsr<double>(500);
  specmvPlanOptions_t options = apitest::optionsOf(SPECMV_TARGET_GPU, "csr-vector");
  options.vectors = 4;
  const apitest::Plan plan(a, options);
  auto memory = llvm::cantFail(gpu->allocate(500 * 4 * sizeof(double)));
  REQUIRE(specmvSetPlanWorkspace(plan, reinterpret_cast<void *>(memory.pointer()),
                                 static_cast<int64_t>(memory.bytes())) == SPECMV_STATUS_SUCCESS);
  auto stream = llvm::cantFail(makeStream(*gpu));
  const VectorPlace place = vectorsOnDevice();
  std::vector<double> x(2000, 2), y(2000, 0), z(2000, 0);
  const auto dx = place.give(x.data(), 16000), dy = place.give(y.data(), 16000);
  const double one = 1, zero = 0;
  const auto product = [&] {
    return specmvExecuteMulti(plan, 4, &one, dx.get(), 500, &zero, dy.get(), 500,
                              SPECMV_ORDER_COLUMN, stream.get());
  };
  specmvStatus_t status = SPECMV_STATUS_INTERNAL_ERROR;
  auto graph = GpuGraph::capture(*gpu, stream.get(), [&] {
    status = product();
    return llvm::Error::success();
  });
  REQUIRE_MESSAGE(status == SPECMV_STATUS_SUCCESS, detail());
  REQUIRE((graph && *graph));
  llvm::cantFail((*graph)->launch(stream.get()));
  place.take(y.data(), dy.get(), 16000);
  REQUIRE(product() == SPECMV_STATUS_SUCCESS);
  place.take(z.data(), dy.get(), 16000);
  CHECK(y == z);
  CHECK(y[250] != 0);
}
