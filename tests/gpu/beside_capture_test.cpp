// Tests plans that are made, used, updated and destroyed while other threads capture their streams
// into graphs, in each mode: no capture breaks, and no product is wrong.
#include "tests/api/api_testing.h"
#include "tests/gpu/program_stream.h"
#include "tests/runtime/scratch_directory.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace specmv;

namespace {

using Doubles = apitest::Csr<int32_t, double>;

// SPECMV_TEST_ROUNDS sets more rounds for a campaign.
int rounds() {
  const char *asked = getenv("SPECMV_TEST_ROUNDS");
  return asked ? atoi(asked) : 40;
}

// A vector on the GPU that belongs to a thread of the program, and its readback.
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

// Prints which call was wrong, since threads only count.
bool holds(bool isRight, const char *what, int round) {
  if (!isRight)
    std::fprintf(stderr, "round %d: %s: %s\n", round, what, specmvGetLastErrorDetail());
  return isRight;
}

// Captures as a program does, in a mode of its choice. specmv's own captures use another mode.
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

// Captures products of a plan until `ends`. Returns how many captures were broken or gave a wrong
// y.
int brokenCaptures(const GpuDevice &gpu, const Doubles &a, CUstreamCaptureMode mode,
                   StreamKind kind, const std::atomic<bool> &ends) {
  const auto stream = streamOf(gpu, kind);
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
    broken += !(holds(isRight, "a capture", broken) && holds(y.read() == want, "its y", broken));
  }
  return broken;
}

// Goes through the life of a plan with every kind of call. Returns true if each gave the right y.
bool livesRight(const GpuDevice &gpu, StreamHandle stream, const Doubles &a, int round) {
  constexpr const char *kFormats[] = {"ell",          "csr-merge", "hyb", "csr-vector",
                                      "cusparse-csr", "csr5",      "sell"};
  specmvPlanOptions_t options = apitest::gpuOptions(kFormats[round % 7], true);
  options.start = round % 2 == 0 ? SPECMV_START_WAIT : SPECMV_START_NOW;
  if (round % 5 == 0) {
    options.formats = "csr-vector,ell";
    options.rigor = SPECMV_RIGOR_MEASURE;
  }
  const apitest::Matrix matrix(a);
  specmvPlan_t plan = nullptr;
  const auto succeeds = [&](specmvStatus_t status, const char *call) {
    return holds(status == SPECMV_STATUS_SUCCESS, call, round);
  };
  if (!succeeds(specmvCreatePlan(&plan, matrix, &options), "create"))
    return false;
  const std::vector<double> in = apitest::integers<double>(a.cols, static_cast<uint64_t>(round));
  Vector x(gpu, stream, in), y(gpu, stream, std::vector<double>(a.rows));
  const double one = 1, zero = 0;
  bool isRight = true;
  const auto multiply = [&](const Doubles &by) {
    isRight &= succeeds(specmvExecute(plan, &one, x.at(), &zero, y.at(), stream), "execute");
    isRight &= holds(y.read() == apitest::naiveProduct(by, 1.0, in, 0.0, y.host), "y", round);
  };
  multiply(a);
  isRight &= succeeds(specmvPlanWait(plan), "wait");
  multiply(a);
  Doubles other = a;
  for (double &v : other.val)
    v += 1;
  isRight &= succeeds(specmvUpdateValues(plan, other.val.data(), stream), "update");
  multiply(other);
  return succeeds(round % 3 == 0 ? specmvDestroyPlanAsync(plan, stream) : specmvDestroyPlan(plan),
                  "destroy") &&
         isRight;
}

bool jsonHas(specmvPlan_t plan, const char *text) {
  const char *json = nullptr;
  return specmvGetPlanJson(plan, &json) == SPECMV_STATUS_SUCCESS &&
         std::string(json).find(text) != std::string::npos;
}

// Three diagonals that no other round has.
Doubles diagonals(int64_t rows, int64_t apart) {
  Doubles a{rows, rows, {0}, {}, {}};
  for (int64_t row = 0; row < rows; ++row) {
    for (const int64_t col : {row - apart, row, row + apart})
      if (col >= 0 && col < rows) {
        a.col.push_back(static_cast<int32_t>(col));
        a.val.push_back(static_cast<double>(col % 5 + 1));
      }
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  return a;
}

// Goes through the life of a plan that begins with a general kernel until its own kernel is
// compiled and takes over. The context's cache has no kernels of an earlier run.
bool takesOverRight(const GpuDevice &gpu, StreamHandle stream, specmvContext_t context, int round) {
  Doubles a = diagonals(2000, 2 + round);
  specmvPlanOptions_t options = apitest::gpuOptions("dia", true);
  options.context = context;
  options.kernels = SPECMV_KERNELS_GENERAL; // so that such a kernel is at hand
  { const apitest::Plan first(a, options); }
  options.kernels = SPECMV_KERNELS_BOTH;
  options.improves = 1;
  const apitest::Plan plan(a, options);
  const std::vector<double> in = apitest::integers<double>(a.cols, 3);
  Vector x(gpu, stream, in), y(gpu, stream, std::vector<double>(a.rows));
  const double one = 1, zero = 0;
  const auto isRight = [&] {
    return specmvExecute(plan, &one, x.at(), &zero, y.at(), stream) == SPECMV_STATUS_SUCCESS &&
           y.read() == apitest::naiveProduct(a, 1.0, in, 0.0, y.host);
  };
  bool right = holds(jsonHas(plan, R"("are":"general")") && isRight(), "general", round);
  for (int i = 0; i < 20000 && !jsonHas(plan, R"("are":"specialized")"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  right &= holds(jsonHas(plan, R"("are":"specialized")") && isRight(), "specialized", round);
  for (double &v : a.val)
    v += 1;
  right &= specmvUpdateValues(plan, a.val.data(), stream) == SPECMV_STATUS_SUCCESS;
  return holds(isRight(), "updated", round) && right;
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
    for (const auto kind : {StreamKind::nonBlocking, StreamKind::blocking})
      capturing.emplace_back(
          [&, mode, kind] { broken += brokenCaptures(*gpu, a, mode, kind, ends); });
  for (int thread = 0; thread < 4; ++thread)
    living.emplace_back([&, thread] {
      const auto stream = llvm::cantFail(makeStream(*gpu));
      for (int round = 0; round < rounds(); ++round)
        wrong += !livesRight(*gpu, stream.get(), a, round + thread);
      llvm::cantFail(gpu->synchronize(stream.get()));
    });
  living.emplace_back([&] {
    const auto stream = llvm::cantFail(makeStream(*gpu));
    const ScratchDirectory cache;
    specmvContextOptions_t options = SPECMV_CONTEXT_OPTIONS_INIT;
    options.cacheDirectory = cache.path().c_str();
    specmvContext_t context = nullptr;
    wrong += specmvCreateContext(&context, &options) != SPECMV_STATUS_SUCCESS;
    for (int round = 0; round < 6; ++round)
      wrong += !takesOverRight(*gpu, stream.get(), context, round);
    specmvDestroyContext(context);
  });
  for (std::thread &thread : living)
    thread.join();
  ends = true;
  for (std::thread &thread : capturing)
    thread.join();
  CHECK(broken == 0);
  CHECK(wrong == 0);
}
