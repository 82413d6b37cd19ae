// Tests products with several vectors on a GPU through the C API: every format that supports them,
// every place of X and Y, streams and captures.
#include "generator/shared/several.h"
#include "models/lab/families/families.h"
#include "runtime/cuda/overlap.h"
#include "runtime/cuda/streams.h"
#include "runtime/lab/bench/bench.h"
#include "tests/gpu/device_vectors.h"

using namespace specmv;
using namespace apitest;

namespace {

// Blocks of 3 x 3, three per block row; some lack the middle entry.
template <class Value> Csr<int32_t, Value> blocksCsr(int64_t n) {
  Csr<int32_t, Value> a{3 * n, 3 * n, {0}, {}, {}};
  for (int64_t i = 0; i < 3 * n; ++i) {
    for (const int64_t d : {-7, 0, 5})
      for (int64_t k = 0; k < 3; ++k)
        if (const int64_t block = i / 3 + d;
            block >= 0 && block < n && (i % 3 != 1 || k != 1 || block % 5 != 0)) {
          a.col.push_back(static_cast<int32_t>(3 * block + k));
          a.val.push_back(static_cast<Value>((i + k) % 9 - 4));
        }
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  return a;
}

template <class Value> void checkSeveralOfFormats() {
  const auto band = bandCsr<Value>(2000);
  const auto blocks = blocksCsr<Value>(300);
  const auto random = randomCsr<int32_t, Value>(1500, 900, 12);
  const auto longRow = longRowCsr<Value>();
  for (const int64_t vectors : {2, 4, 8, 16})
    for (const char *format : {"csr-scalar", "csr-vector", "csr-merge", "sell", "dia", "bcsr",
                               static_cast<const char *>(nullptr)}) {
      const std::string name = format ? format : "any";
      CAPTURE(name);
      checkAllCounts(name == "bcsr" ? blocks : band, apitest::optionsOf(SPECMV_TARGET_GPU, format),
                     vectors, vectorsOnDevice(), kPerThreadStream);
      if (name == "dia" || name == "bcsr")
        continue;
      checkAllCounts(random, apitest::optionsOf(SPECMV_TARGET_GPU, format), vectors,
                     vectorsOnDevice());
      if (name == "csr-merge" || name == "csr-vector")
        checkAllCounts(longRow, apitest::optionsOf(SPECMV_TARGET_GPU, format), vectors,
                       vectorsOnDevice());
    }
}

} // namespace

TEST_CASE_TEMPLATE("several vectors of every format on a GPU", Value, float, double) {
  checkSeveralOfFormats<Value>();
}

TEST_CASE_TEMPLATE("X and Y are columns of one array on a GPU, or on the host", Value, float,
                   double) {
  const auto a = randomCsr<int32_t, Value>(700, 500, 9);
  const auto blocks = blocksCsr<Value>(100);
  for (const char *format : {"csr-scalar", "csr-vector", "csr-merge", "sell", "bcsr"}) {
    CAPTURE(std::string(format));
    const bool areBlocks = std::string(format) == "bcsr";
    specmvPlanOptions_t options = apitest::optionsOf(SPECMV_TARGET_GPU, format);
    options.vectors = 4;
    const apitest::Plan plan(areBlocks ? blocks : a, options);
    for (const VectorPlace &place : {vectorsOnDevice(), vectorsOnHost()})
      for (const int64_t count : {1, 3, 4, 8})
        for (const specmvOrder_t order : {SPECMV_ORDER_ROW, SPECMV_ORDER_COLUMN})
          for (const Value beta : {0, 2})
            checkSideBySide(plan, areBlocks ? blocks : a, count, order, beta, place);
  }
}

TEST_CASE("several vectors on the host for a plan on a GPU") {
  const auto a = randomCsr<int32_t, double>(500, 400, 6);
  checkAllCounts(a, apitest::optionsOf(SPECMV_TARGET_GPU), 8, vectorsOnHost());
  specmvPlanOptions_t options = apitest::optionsOf(SPECMV_TARGET_GPU);
  options.start = SPECMV_START_NOW;
  checkAllCounts(a, options, 4, vectorsOnHost());
}

TEST_CASE("the fastest of several plans is measured with several vectors") {
  specmvPlanOptions_t options = apitest::optionsOf(SPECMV_TARGET_GPU);
  options.rigor = SPECMV_RIGOR_MEASURE;
  checkAllCounts(bandCsr<double>(30000), options, 8, vectorsOnDevice());
}

TEST_CASE("products with several vectors in a graph need their memory before") {
  const auto gpu = gpuMachine().gpu;
  const auto a = bandCsr<double>(5000);
  specmvPlanOptions_t options = apitest::optionsOf(SPECMV_TARGET_GPU);
  options.vectors = 4;
  const apitest::Plan plan(a, options);
  auto stream = llvm::cantFail(makeStream(*gpu));
  const VectorPlace place = vectorsOnDevice();
  std::vector<double> x(20000, 2), y(20000, 0);
  const auto dx = place.give(x.data(), 160000), dy = place.give(y.data(), 160000);
  const double one = 1, zero = 0;
  const auto product = [&](specmvOrder_t order) {
    const int64_t ld = order == SPECMV_ORDER_ROW ? 4 : 5000;
    return specmvExecuteMulti(plan, 4, &one, dx.get(), ld, &zero, dy.get(), ld, order,
                              stream.get());
  };
  const auto captured = [&](specmvOrder_t order) {
    specmvStatus_t status = SPECMV_STATUS_SUCCESS;
    auto graph = GpuGraph::capture(*gpu, stream.get(), [&] {
      status = product(order);
      return llvm::Error::success();
    });
    if (graph && *graph)
      llvm::cantFail((*graph)->launch(stream.get()));
    else
      llvm::consumeError(graph.takeError());
    llvm::cantFail(gpu->synchronize(stream.get()));
    return status;
  };
  CHECK(captured(SPECMV_ORDER_COLUMN) == SPECMV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE(detailHas("cannot be allocated while the stream is being captured"), detail());
  CHECK(captured(SPECMV_ORDER_ROW) == SPECMV_STATUS_SUCCESS);
  CHECK(product(SPECMV_ORDER_COLUMN) == SPECMV_STATUS_SUCCESS);
  place.take(y.data(), dy.get(), 160000);
  const std::vector<double> expected = y;
  CHECK(captured(SPECMV_ORDER_COLUMN) == SPECMV_STATUS_SUCCESS);
  place.take(y.data(), dy.get(), 160000);
  CHECK(y == expected);
  CHECK(y[1234] != 0);
}

// alpha and beta may change on the GPU until the product runs.
template <class Value> void checkScalarsOnGpu(const char *formats, specmvRigor_t rigor) {
  CAPTURE(formats);
  const auto gpu = gpuMachine().gpu;
  const auto a = bandCsr<Value>(1500);
  specmvPlanOptions_t options = apitest::optionsOf(SPECMV_TARGET_GPU, formats);
  options.scalarsOnGpu = 1;
  options.rigor = rigor;
  const apitest::Plan plan(a, options);
  const VectorPlace place = vectorsOnDevice();
  std::vector<Value> x = integers<Value>(a.cols, 5), y = integers<Value>(a.rows, 6);
  std::vector<Value> scalars{2, -3, 5, 0};
  const size_t bytes = x.size() * sizeof(Value);
  const auto dx = place.give(x.data(), bytes), dy = place.give(y.data(), bytes),
             ds = place.give(scalars.data(), 4 * sizeof(Value));
  const auto *const at = static_cast<const Value *>(ds.get());
  CHECK(specmvExecute(plan, at, dx.get(), at + 1, dy.get(), nullptr) == SPECMV_STATUS_SUCCESS);
  CHECK(specmvExecute(plan, at + 2, dx.get(), at + 1, dy.get(), nullptr) == SPECMV_STATUS_SUCCESS);
  std::vector<Value> got(y.size());
  place.take(got.data(), dy.get(), bytes);
  const std::vector<Value> once = naiveProduct<int32_t, Value>(a, 2, x, -3, y);
  CHECK(got == naiveProduct<int32_t, Value>(a, 5, x, -3, once));
  // With vectors on the host, and beta = 0, which is known only on the GPU.
  std::vector<Value> host(y.size(), 7);
  CHECK(specmvExecute(plan, at, x.data(), at + 3, host.data(), nullptr) == SPECMV_STATUS_SUCCESS);
  CHECK(host == naiveProduct<int32_t, Value>(a, 2, x, 0, y));
  CHECK(specmvExecute(plan, scalars.data(), dx.get(), at + 3, dy.get(), nullptr) ==
        SPECMV_STATUS_INVALID_VALUE);
  CHECK_MESSAGE(detailHas("alpha is in host memory"), detail());
}

TEST_CASE_TEMPLATE("alpha and beta on the GPU", Value, float, double) {
  for (const char *format : {"csr-scalar", "csr-vector", "csr-merge", "csr5", "coo", "ell", "sell",
                             "jad", "dia", "qcsr"})
    checkScalarsOnGpu<Value>(format, SPECMV_RIGOR_ESTIMATE);
  checkScalarsOnGpu<Value>(nullptr, SPECMV_RIGOR_MEASURE);
  specmvPlan_t plan = nullptr;
  const auto arrays = bandCsr<Value>(100);
  const Matrix a(arrays);
  specmvPlanOptions_t options = apitest::optionsOf(SPECMV_TARGET_GPU, "cusparse-csr");
  options.scalarsOnGpu = 1;
  CHECK(specmvCreatePlan(&plan, a, &options) == SPECMV_STATUS_NOT_APPLICABLE);
  CHECK_MESSAGE(detailHas("takes alpha and beta from the host only"), detail());
}

TEST_CASE("several vectors with alpha and beta on the GPU") {
  const auto a = randomCsr<int32_t, double>(700, 500, 9);
  specmvPlanOptions_t options = apitest::optionsOf(SPECMV_TARGET_GPU);
  options.scalarsOnGpu = 1;
  options.vectors = 4;
  const apitest::Plan plan(a, options);
  const VectorPlace place = vectorsOnDevice();
  std::vector<double> scalars{-2, 3}, x(500 * 4, 1), y(700 * 4, 1);
  const auto ds = place.give(scalars.data(), 16), dx = place.give(x.data(), 16000),
             dy = place.give(y.data(), 22400);
  const auto *const at = static_cast<const double *>(ds.get());
  REQUIRE(specmvExecuteMulti(plan, 4, at, dx.get(), 4, at + 1, dy.get(), 4, SPECMV_ORDER_ROW,
                             nullptr) == SPECMV_STATUS_SUCCESS);
  place.take(y.data(), dy.get(), 22400);
  const std::vector<double> one = naiveProduct<int32_t, double>(a, -2, std::vector<double>(500, 1),
                                                                3, std::vector<double>(700, 1));
  for (size_t i = 0; i < y.size(); ++i)
    REQUIRE(y[i] == one[i / 4]);
}

TEST_CASE("a product of several vectors is timed, checked and compared with SpMM") {
  Machine machine = gpuMachine();
  const CsrMatrix matrix = llvm::cantFail(generateFamily("stencil5:n=60"));
  for (const int64_t vectors : {4, 7, 24}) {
    Request request;
    request.problem.vectors = vectorsOfPass(vectors);
    request.vectors = vectors;
    request.formats = {"csr-vector", "csr-merge", "sell"};
    const MatrixBench bench =
        llvm::cantFail(benchMatrix(matrix.view(), request, machine, /*copyGBs=*/1000));
    CHECK(bench.vectors == vectors);
    for (const BenchLine &line : bench.lines) {
      CAPTURE(line.format);
      CHECK(line.us > 0);
      CHECK((line.verified || line.isTheirs));
    }
    REQUIRE(bench.cusparseBest());
    CHECK(bench.cusparseBest()->format.rfind("cusparse-spmm-", 0) == 0);
  }
}
