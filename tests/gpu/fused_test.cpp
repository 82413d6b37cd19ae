// Tests fused steps on a GPU: every format against the host, the same sums in every run, in graphs,
// beside captures, on several streams, with new values, and the steps of specmv_fused.h.
#include "generator/formats.h"
#include "tests/api/ready_fusions.h"
#include "tests/gpu/fused_operands.h"
#include "tests/gpu/graph.h"
#include "tests/gpu/program_stream.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>

using namespace specmv;

namespace {

// Makes the step and checks a run. Returns false if the format has no plan for the matrix.
template <class Index, class Value>
bool checkOf(const apitest::Csr<Index, Value> &a, const specmvPlanOptions_t &options,
             const DescribedStep &described) {
  const apitest::Matrix matrix(a);
  specmvPlan_t plan = nullptr;
  const specmvStatus_t status = specmvCreatePlan(&plan, matrix, &options);
  if (status != SPECMV_STATUS_SUCCESS) {
    const bool isRefused =
        status == SPECMV_STATUS_NOT_APPLICABLE || status == SPECMV_STATUS_MISSING;
    CHECK_MESSAGE(isRefused, apitest::detail());
    return false;
  }
  {
    const apitest::FusedStep step(plan, fusionOfStep(described));
    FusedOperands<Index, Value> operands(a, described);
    for (int time = 0; time < 2; ++time) {
      operands.start();
      CHECK_MESSAGE(operands.run(step) == SPECMV_STATUS_SUCCESS, apitest::detail());
      operands.check(a);
    }
  }
  CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_SUCCESS);
  return true;
}

template <class Index, class Value>
int checkAllFormats(const apitest::Csr<Index, Value> &a, const DescribedStep &described) {
  CAPTURE(a.rows);
  CAPTURE(described.epilogue);
  int made = 0;
  for (const Format &format : formats()) {
    CAPTURE(format.name);
    made += checkOf(a, apitest::optionsOf(SPECMV_TARGET_GPU, format.name), described);
  }
  return made;
}

apitest::Csr<int32_t, double> withRounding(apitest::Csr<int32_t, double> a) {
  for (size_t k = 0; k < a.val.size(); ++k)
    a.val[k] = 0.1 + static_cast<double>(k % 97) / 7;
  return a;
}

constexpr const char *kStepFormats[] = {"csr-merge", "csr5", "csr-vector", "ell", "qcsr", "coo"};

// Puts one run on the stream from the same beginning, and returns q, s and t.
std::vector<double> resultOf(FusedOperands<int32_t, double> &operands,
                             const std::function<void()> &put) {
  operands.start();
  put();
  std::vector<double> out = operands.q.read();
  out.push_back(operands.s.read()[0]);
  out.push_back(operands.t.read()[0]);
  return out;
}

bool isSameBits(const std::vector<double> &a, const std::vector<double> &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

} // namespace

TEST_CASE("fused steps of every format are right, with doubles") {
  const auto random = apitest::randomCsr<int32_t, double>(700, 700, 9);
  int made = 0;
  for (const DescribedStep &step : kFusedSteps)
    made += checkAllFormats(random, step);
  made += checkAllFormats(bandCsr<double>(1500), kFusedSteps[0]);
  made += checkAllFormats(longRowCsr<double>(), kFusedSteps[0]);
  made += checkAllFormats(apitest::Csr<int32_t, double>{1, 1, {0, 1}, {0}, {5}}, kFusedSteps[0]);
  made +=
      checkAllFormats(apitest::Csr<int32_t, double>{300, 300, std::vector<int32_t>(301, 0), {}, {}},
                      kFusedSteps[0]);
  MESSAGE(made, " plans");
  CHECK(made >= 50);
}

TEST_CASE("fused steps of every format are right, with floats") {
  const auto random = apitest::randomCsr<int32_t, float>(700, 700, 9);
  CHECK(checkAllFormats(random, kFusedSteps[0]) >= 8);
  CHECK(checkAllFormats(random, kFusedSteps[1]) >= 8);
}

TEST_CASE("fused steps of empty matrices, wide indices, transposes and float matrices") {
  for (const auto &[rows, cols] : {std::pair(0, 0), {0, 5}, {5, 0}})
    for (const DescribedStep &step : kFusedSteps)
      CHECK(checkOf(
          apitest::Csr<int32_t, double>{rows, cols, std::vector<int32_t>(rows + 1, 0), {}, {}},
          apitest::optionsOf(SPECMV_TARGET_GPU), step));
  for (const char *format : kStepFormats) {
    CAPTURE(std::string(format));
    CHECK(checkOf(apitest::randomCsr<int64_t, double>(500, 400, 9),
                  apitest::optionsOf(SPECMV_TARGET_GPU, format), kFusedSteps[1]));
  }
  // The transpose of a band is checked against the band with its entries mirrored.
  const auto a = apitest::randomCsr<int32_t, double>(300, 200, 5);
  apitest::Csr<int32_t, double> t{200, 300, {0}, {}, {}};
  for (int64_t col = 0; col < 200; ++col) {
    for (int64_t row = 0; row < 300; ++row)
      for (auto k = static_cast<size_t>(a.rowPtr[row]); k < static_cast<size_t>(a.rowPtr[row + 1]);
           ++k)
        if (a.col[k] == col)
          t.col.push_back(static_cast<int32_t>(row)), t.val.push_back(a.val[k]);
    t.rowPtr.push_back(static_cast<int32_t>(t.col.size()));
  }
  specmvPlanOptions_t options = apitest::optionsOf(SPECMV_TARGET_GPU);
  options.operation = SPECMV_OPERATION_TRANSPOSE;
  for (const DescribedStep &step : kFusedSteps) {
    const apitest::Plan plan(a, options);
    const apitest::FusedStep fused(plan, fusionOfStep(step));
    FusedOperands<int32_t, double> operands(t, step);
    operands.start();
    CHECK(operands.run(fused) == SPECMV_STATUS_SUCCESS);
    operands.check(t);
  }
}

TEST_CASE("sums have the same bits in every run, in graphs, and beside other work") {
  const auto gpu = gpuMachine().gpu;
  const auto a = withRounding(apitest::randomCsr<int32_t, double>(20000, 20000, 40));
  const auto stream = llvm::cantFail(makeStream(*gpu)), second = llvm::cantFail(makeStream(*gpu));
  for (const char *format : kStepFormats) {
    CAPTURE(std::string(format));
    const apitest::Plan plan(a, apitest::gpuOptions(format, true));
    const apitest::FusedStep step(plan, fusionOfStep(kFusedSteps[0])),
        other(plan, fusionOfStep(kFusedSteps[0]));
    FusedOperands<int32_t, double> operands(a, kFusedSteps[0]), others(a, kFusedSteps[0]);
    const auto run = [&] { CHECK(operands.run(step, stream.get()) == SPECMV_STATUS_SUCCESS); };
    const std::vector<double> first = resultOf(operands, run);
    CHECK(std::isfinite(first.back()));
    for (int time = 0; time < 20; ++time)
      CHECK(isSameBits(resultOf(operands, run), first));
    CHECK(isSameBits(resultOf(operands, [&] { runAsGraph(*gpu, stream.get(), 3, run); }), first));
    // Products of the plan and another step of it run on another stream meanwhile.
    NumbersOnGpu<double> x(std::vector<double>(20000, 1)), y(std::vector<double>(20000, 0));
    const double one = 1, zero = 0;
    REQUIRE(specmvExecute(plan, &one, x.at(), &zero, y.at(), second.get()) ==
            SPECMV_STATUS_SUCCESS);
    const std::vector<double> product = y.read();
    for (int time = 0; time < 50; ++time) {
      others.start();
      const std::vector<double> found = resultOf(operands, [&] {
        run();
        CHECK(specmvExecute(plan, &one, x.at(), &zero, y.at(), second.get()) ==
              SPECMV_STATUS_SUCCESS);
        CHECK(others.run(other, second.get()) == SPECMV_STATUS_SUCCESS);
        run();
      });
      CHECK(isSameBits(found, first));
      CHECK(isSameBits(y.read(), product));
      CHECK(isSameBits(others.q.read(), operands.q.read()));
      CHECK(others.s.read() == operands.s.read());
    }
  }
}

TEST_CASE("a step uses the new values of its plan") {
  auto a = apitest::randomCsr<int32_t, double>(700, 700, 9);
  for (const char *format :
       {"csr-merge", "csr5", "csr-vector", "ell", "qcsr", "coo", "sell", "cusparse-csr"}) {
    CAPTURE(std::string(format));
    const apitest::Plan plan(a, apitest::gpuOptions(format, true));
    const apitest::FusedStep step(plan, fusionOfStep(kFusedSteps[0]));
    FusedOperands<int32_t, double> operands(a, kFusedSteps[0]);
    for (int time = 0; time < 2; ++time) {
      operands.start();
      CHECK(operands.run(step) == SPECMV_STATUS_SUCCESS);
      operands.check(a);
      for (double &value : a.val)
        value = 1 - value;
      REQUIRE(specmvUpdateValues(plan, a.val.data(), nullptr) == SPECMV_STATUS_SUCCESS);
    }
    operands.start();
    CHECK(operands.run(step) == SPECMV_STATUS_SUCCESS);
    operands.check(a);
  }
}

TEST_CASE("steps are made, run and destroyed beside a thread that captures in global mode") {
  const auto gpu = gpuMachine().gpu;
  const auto a = apitest::randomCsr<int32_t, double>(700, 700, 9);
  std::atomic<bool> isCapturing{false}, ends{false};
  std::atomic<int> result{-1};
  std::thread capturing([&] {
    const auto stream = streamOf(*gpu, StreamKind::nonBlocking);
    const GpuDevice::Current current(*gpu);
    auto *const on = static_cast<CUstream>(stream.get());
    CUgraph graph = nullptr;
    CUstreamCaptureMode usual = CU_STREAM_CAPTURE_MODE_GLOBAL;
    driver().cuThreadExchangeStreamCaptureMode(&usual);
    bool isRight = driver().cuStreamBeginCapture(on, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS;
    isCapturing = true;
    while (!ends)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    isRight &= driver().cuStreamEndCapture(on, &graph) == CUDA_SUCCESS && graph;
    driver().cuThreadExchangeStreamCaptureMode(&usual);
    if (graph)
      driver().cuGraphDestroy(graph);
    result = isRight;
  });
  while (!isCapturing)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  const auto stream = llvm::cantFail(makeStream(*gpu));
  for (const char *format : kStepFormats)
    for (const DescribedStep &described : kFusedSteps) {
      CAPTURE(std::string(format));
      const apitest::Plan plan(a, apitest::gpuOptions(format, false));
      const apitest::FusedStep step(plan, fusionOfStep(described));
      FusedOperands<int32_t, double> operands(a, described);
      CHECK_MESSAGE(operands.run(step, stream.get()) == SPECMV_STATUS_SUCCESS, apitest::detail());
      llvm::cantFail(gpu->synchronize(stream.get()));
    }
  ends = true;
  capturing.join();
  CHECK(result == 1);
}

TEST_CASE("each step of specmv_fused.h compiles and runs") {
  const auto namesOf = [](const char *list) {
    return list ? 1 + std::count(list, list + std::strlen(list), ',') : 0;
  };
  const apitest::Plan plan(bandCsr<double>(1500), apitest::optionsOf(SPECMV_TARGET_GPU));
  for (const specmvFusion_t &fusion : apitest::readyFusions()) {
    CAPTURE(std::string(fusion.epilogue));
    const apitest::FusedStep step(plan, fusion);
    std::vector<std::unique_ptr<NumbersOnGpu<double>>> all;
    std::vector<void *> vectors, scalars;
    const auto add = [&](std::vector<void *> &to, size_t count, double value) {
      all.push_back(std::make_unique<NumbersOnGpu<double>>(std::vector<double>(count, value)));
      to.push_back(all.back()->at());
    };
    double two = 2;
    for (auto k = namesOf(fusion.vectors); k > 0; --k)
      add(vectors, 1500, 1);
    scalars.assign(static_cast<size_t>(namesOf(fusion.scalars)), &two);
    for (auto k = namesOf(fusion.gpuScalars); k > 0; --k)
      add(scalars, 1, 4);
    for (auto k = namesOf(fusion.sums); k > 0; --k)
      add(scalars, 1, std::nan(""));
    CHECK_MESSAGE(specmvExecuteFused(step, vectors.data(), scalars.data(), nullptr) ==
                      SPECMV_STATUS_SUCCESS,
                  apitest::detail());
    for (const auto &numbers : all)
      for (const double value : numbers->read())
        REQUIRE(std::isfinite(value));
  }
}
