// Tests a kernel of the program that fails and leaves its error in the context: every later call
// returns a status and a message that does not blame specmv, and the process ends normally.
#include "runtime/cuda/nvrtc.h"
#include "runtime/cuda/overlap.h"
#include "tests/gpu/faults_testing.h"
#include "tests/gpu/gpu.h"

using namespace specmv;
using namespace specmv::testing;

namespace {

constexpr const char *kKernels = R"(
extern "C" __global__ void illegal_address() { *(volatile int *)16 = 1; }
extern "C" __global__ void misaligned(char *at) { *(volatile long long *)(at + 4) = 1; }
extern "C" __global__ void trap() { asm volatile("trap;"); }
)";

// Launches a failing kernel on the stream.
void failOn(const GpuDevice &gpu, const std::string &kernel, StreamHandle stream) {
  static const KernelSource &source = *new KernelSource(kKernels);
  static const GpuModule &module = *new GpuModule(llvm::cantFail(
      gpu.load(llvm::cantFail(compile(source, "bad", gpu.info().arch)).cubin, source.digest)));
  static const DeviceBuffer &memory = *new DeviceBuffer(llvm::cantFail(gpu.allocate(256)));
  const DevicePointer at = memory.pointer();
  const void *arguments[] = {&at};
  llvm::cantFail(gpu.launch(llvm::cantFail(module.function(kernel)), {1, 1, 1}, 1, 0,
                            kernel == "misaligned" ? arguments : nullptr, stream));
}

struct Parts {
  std::string kernel, moment, stream, format;
};
Parts partsOf(const std::string &trial) {
  std::vector<std::string> out(1);
  for (const char c : trial)
    if (c == ',')
      out.emplace_back();
    else
      out.back() += c;
  REQUIRE(out.size() == 4);
  return {out[0], out[1], out[2], out[3]};
}

// The error is present by now, whatever was waited for before.
void checkBlame(specmvStatus_t status) {
  CHECK(status == SPECMV_STATUS_MISSING);
  CHECK_MESSAGE(apitest::detailHas("an error of an earlier kernel of this program"),
                apitest::detail());
}

void callsFail(specmvPlan_t plan, const TriedMatrix &tried, const GpuDevice &gpu,
               const specmvPlanOptions_t &options) {
  std::vector<double> y;
  saw("execute, the first call", tried.multiply(plan, y)); // may come before the kernel's end
  waitForGpu(gpu);
  checkBlame(saw("execute", tried.multiply(plan, y)));
  const specmvStatus_t updated =
      saw("update", specmvUpdateValues(plan, tried.a.val.data(), nullptr));
  // A set-up that failed earlier leaves no arrays of the plan to update.
  if (!apitest::detailHas("the plan's set-up "))
    checkBlame(updated);
  saw("wait", specmvPlanWait(plan));
  specmvPlan_t next = nullptr;
  checkBlame(saw("create", tried.create(&next, options)));
  CHECK(next == nullptr);
  const specmvPlanOptions_t onHost = apitest::hostOptions();
  CHECK(tried.plansAndMultipliesRight(onHost));
}

} // namespace

TEST_CASE("child: a kernel fails" * doctest::skip()) {
  const auto [kernel, moment, stream, format] = partsOf(trialWithin(60));
  const auto gpu = gpuMachine().gpu;
  const auto other = llvm::cantFail(makeStream(*gpu));
  const StreamHandle on = stream == "same stream" ? nullptr : other.get();
  const TriedMatrix tried(moment == "during a set-up" ? "stencil9:n=500" : "stencil9:n=60");
  specmvPlanOptions_t options = apitest::gpuOptions(format.c_str(), true);
  specmvPlan_t plan = nullptr;
  if (moment == "before a plan is made") {
    failOn(*gpu, kernel, on);
    waitForGpu(*gpu);
    checkBlame(saw("create", tried.create(&plan, options)));
    return;
  }
  options.start = moment == "during a set-up" ? SPECMV_START_NOW : SPECMV_START_WAIT;
  REQUIRE(tried.create(&plan, options) == SPECMV_STATUS_SUCCESS);
  CHECK(tried.multipliesRight(plan));
  failOn(*gpu, kernel, on);
  options.start = SPECMV_START_WAIT;
  if (moment != "before it is destroyed")
    callsFail(plan, tried, *gpu, options);
  CHECK(saw("destroy", moment == "before it is destroyed on a stream"
                           ? specmvDestroyPlanAsync(plan, nullptr)
                           : specmvDestroyPlan(plan)) == SPECMV_STATUS_SUCCESS);
}

TEST_CASE("faults: a kernel of the program that fails is not blamed on specmv") {
  Trials trials("child: a kernel fails");
  const char *const formats[] = {"csr-vector", "ell", "cusparse-csr", "csr-merge", "dia"};
  size_t at = 0;
  for (const char *kernel : {"illegal_address", "trap", "misaligned"})
    for (const char *moment : {"before a product", "during a set-up", "before a plan is made",
                               "before it is destroyed", "before it is destroyed on a stream"})
      for (const char *stream : {"same stream", "other stream"})
        if (isLongCampaign() || at++ % 2 == 0)
          for (size_t i = 0; i < (isLongCampaign() ? std::size(formats) : 1); ++i)
            trials.run(std::string(kernel) + "," + moment + "," + stream + "," +
                       formats[(at + i) % std::size(formats)]);
}
