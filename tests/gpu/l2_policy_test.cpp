// Tests on the GPU that the policies of products are those that its createpolicy makes.
#include "runtime/cuda/l2_policy.h"
#include "runtime/cuda/nvrtc.h"
#include "tests/gpu/gpu.h"

#include <doctest/doctest.h>

#include <array>

using namespace specmv;

TEST_CASE("policies for L2 are those that createpolicy makes") {
  const KernelSource source(R"(
extern "C" __global__ void policies(unsigned long long *to) {
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(to[0]));
  asm volatile("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(to[1]));
}
)");
  const Machine machine = gpuMachine();
  const GpuDevice &gpu = *machine.gpu;
  const GpuModule module = llvm::cantFail(
      gpu.load(llvm::cantFail(compile(source, "policies", gpu.info().arch)).cubin, source.digest));
  std::array<uint64_t, 2> made{};
  const DeviceBuffer memory = llvm::cantFail(gpu.allocate(sizeof made));
  const DevicePointer at = memory.pointer();
  const void *arguments[] = {&at};
  llvm::cantFail(
      gpu.launch(llvm::cantFail(module.function("policies")), {1, 1, 1}, 1, 0, arguments, nullptr));
  llvm::cantFail(gpu.synchronize(nullptr));
  llvm::cantFail(gpu.download(made.data(), at, sizeof made));
  CHECK(made == std::array{kEvictedFirst, kKeptInL2});
}
