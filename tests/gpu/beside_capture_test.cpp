// Plans that are made, used, updated and destroyed while other threads capture their streams into
// graphs, in each mode: no capture breaks, and no product is wrong.
#include "runtime/cuda/driver.h"
#include "runtime/cuda/overlap.h"
#include "tests/api/api_testing.h"
#include "tests/gpu/gpu.h"

#include <atomic>
#include <cstdlib>
#include <thread>

using namespace specmv;

namespace {

using Doubles = apitest::Csr<int32_t, double>;

// SPECMV_TEST_ROUNDS: more for a campaign.
int rounds() {
  const char *asked = getenv("SPECMV_TEST_ROUNDS");
  return asked ? atoi(asked) : 40;
}

// A vector on the GPU that a thread of the program has, and what is read of it.
struct Vector {
  Vector(const GpuDevice &gpu, StreamHandle stream, const std::vector<double> &values)
      : gpu(gpu), stream(stream),
        memory(llvm::cantFail(gpu.uploaded(values.data(), values.size() * sizeof(double)))),
        host(values) {}
  void *at() const { return reinterpret_cast<void *>(memory.pointer()); }
  const std::vector<double> &read() {
    llvm::cantFail(gpu.download(host.data(), memory.pointer(), memory.bytes(), stream));
    llvm::cantFail(gpu.synchronize(stream));
    return host;
  }

  const GpuDevice &gpu;
  StreamHandle stream;
  DeviceBuffer memory;
  std::vector<double> host;
};

// Captures as a program does, in a mode of its choice. specmv's own captures have another one.
bool captureRuns(const GpuDevice &gpu, StreamHandle stream, CUstreamCaptureMode mode,
                 const std::function<bool()> &body) {
  const GpuDevice::Current current(gpu);
  CUstreamCaptureMode usual = CU_STREAM_CAPTURE_MODE_GLOBAL; // what threads begin with
  const Driver &d = driver();
  d.cuThreadExchangeStreamCaptureMode(&usual);
  auto *const on = static_cast<CUstream>(stream);
  CUgraph graph = nullptr;
  CUgraphExec ready = nullptr;
  bool isRight = d.cuStreamBeginCapture(on, mode) == CUDA_SUCCESS && body();
  isRight &= d.cuStreamEndCapture(on, &graph) == CUDA_SUCCESS && graph;
  d.cuThreadExchangeStreamCaptureMode(&usual);
  isRight = isRight && d.cuGraphInstantiate(&ready, graph, 0) == CUDA_SUCCESS &&
            d.cuGraphLaunch(ready, on) == CUDA_SUCCESS && d.cuStreamSynchronize(on) == CUDA_SUCCESS;
  if (ready)
    d.cuGraphExecDestroy(ready);
  if (graph)
    d.cuGraphDestroy(graph);
  return isRight;
}

// Captures products of a plan until `ends`; how many captures were broken, or gave a wrong y.
int brokenCaptures(const GpuDevice &gpu, const Doubles &a, CUstreamCaptureMode mode,
                   const std::atomic<bool> &ends) {
  const auto stream = llvm::cantFail(makeStream(gpu));
  specmvPlanOptions_t options = apitest::gpuOptions("csr-vector", false);
  const apitest::Plan plan(a, options);
  const std::vector<double> ones(static_cast<size_t>(a.cols), 1);
  Vector x(gpu, stream.get(), ones), y(gpu, stream.get(), std::vector<double>(a.rows));
  const auto want = apitest::naiveProduct(a, 1.0, ones, 0.0, y.host);
  const double one = 1, zero = 0;
  int broken = 0;
  while (!ends) {
    const bool isRight = captureRuns(gpu, stream.get(), mode, [&] {
      const auto status = specmvExecute(plan, &one, x.at(), &zero, y.at(), stream.get());
      std::this_thread::sleep_for(std::chrono::microseconds(200)); // others go on meanwhile
      return status == SPECMV_STATUS_SUCCESS;
    });
    broken += !(isRight && y.read() == want);
  }
  return broken;
}

// The life of a plan, with every kind of call; whether each succeeded and gave the right y.
bool livesRight(const GpuDevice &gpu, StreamHandle stream, const Doubles &a, int round) {
  constexpr const char *kFormats[] = {"ell", "csr-merge", "hyb", "csr-vector", "sell", "csr5"};
  specmvPlanOptions_t options = apitest::gpuOptions(kFormats[round % 6], true);
  options.start = round % 2 == 0 ? SPECMV_START_WAIT : SPECMV_START_NOW;
  if (round % 5 == 0) {
    options.formats = "csr-vector,ell";
    options.rigor = SPECMV_RIGOR_MEASURE;
  }
  const apitest::Matrix matrix(a);
  specmvPlan_t plan = nullptr;
  if (specmvCreatePlan(&plan, matrix, &options) != SPECMV_STATUS_SUCCESS)
    return false;
  const std::vector<double> in = apitest::integers<double>(a.cols, static_cast<uint64_t>(round));
  Vector x(gpu, stream, in), y(gpu, stream, std::vector<double>(a.rows));
  const double one = 1, zero = 0;
  bool isRight = true;
  const auto multiply = [&](const Doubles &by) {
    isRight &= specmvExecute(plan, &one, x.at(), &zero, y.at(), stream) == SPECMV_STATUS_SUCCESS;
    isRight &= y.read() == apitest::naiveProduct(by, 1.0, in, 0.0, y.host);
  };
  multiply(a);
  isRight &= specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS;
  multiply(a);
  Doubles other = a;
  for (double &v : other.val)
    v += 1;
  isRight &= specmvUpdateValues(plan, other.val.data(), stream) == SPECMV_STATUS_SUCCESS;
  multiply(other);
  const specmvStatus_t ended =
      round % 3 == 0 ? specmvDestroyPlanAsync(plan, stream) : specmvDestroyPlan(plan);
  return isRight && ended == SPECMV_STATUS_SUCCESS;
}

} // namespace

TEST_CASE("plans live beside threads that capture, in each mode") {
  const auto gpu = gpuMachine().gpu;
  const auto a = apitest::randomCsr<int32_t, double>(3000, 3000, 7);
  std::atomic<bool> ends{false};
  std::atomic<int> broken{0}, wrong{0};
  std::vector<std::thread> capturing, living;
  for (const auto mode : {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                          CU_STREAM_CAPTURE_MODE_RELAXED})
    capturing.emplace_back([&, mode] { broken += brokenCaptures(*gpu, a, mode, ends); });
  for (int thread = 0; thread < 4; ++thread)
    living.emplace_back([&, thread] {
      const auto stream = llvm::cantFail(makeStream(*gpu));
      for (int round = 0; round < rounds(); ++round)
        wrong += !livesRight(*gpu, stream.get(), a, round + thread);
      llvm::cantFail(gpu->synchronize(stream.get()));
    });
  for (std::thread &thread : living)
    thread.join();
  ends = true;
  for (std::thread &thread : capturing)
    thread.join();
  CHECK(broken == 0);
  CHECK(wrong == 0);
}
