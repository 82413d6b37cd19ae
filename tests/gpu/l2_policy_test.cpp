// Tests on the GPU that the policies of products are those that its createpolicy makes.
#include "runtime/cuda/l2_turns.h"

#include "models/predict/kept_in_l2.h"
#include "runtime/cuda/nvrtc.h"
#include "tests/gpu/gpu.h"

#include "llvm/Support/FormatVariadic.h"

#include <doctest/doctest.h>

#include <array>

using namespace specmv;

TEST_CASE("policies for L2 are those that createpolicy makes") {
  std::string text = "extern \"C\" __global__ void policies(unsigned long long *to) {\n"
                     "  asm volatile(\"createpolicy.fractional.L2::evict_first.b64 %0, 1.0;\" : "
                     "\"=l\"(to[0]));\n";
  for (int n = 1; n <= kSixteenths; ++n)
    text += llvm::formatv("  asm volatile(\"createpolicy.fractional.L2::evict_normal"
                          ".L2::evict_first.b64 %0, {0:F4};\" : \"=l\"(to[{1}]));\n",
                          n / 16.0, n);
  const KernelSource source(text + "}\n");
  const Machine machine = gpuMachine();
  const GpuDevice &gpu = *machine.gpu;
  const GpuModule module = llvm::cantFail(
      gpu.load(llvm::cantFail(compile(source, "policies", gpu.info().arch)).cubin, source.digest));
  std::array<uint64_t, kSixteenths + 1> made{};
  const DeviceBuffer memory = llvm::cantFail(gpu.allocate(sizeof made));
  const DevicePointer at = memory.pointer();
  const void *arguments[] = {&at};
  llvm::cantFail(
      gpu.launch(llvm::cantFail(module.function("policies")), {1, 1, 1}, 1, 0, arguments, nullptr));
  llvm::cantFail(gpu.synchronize(nullptr));
  llvm::cantFail(gpu.download(made.data(), at, sizeof made));
  for (int n = 0; n <= kSixteenths; ++n)
    CHECK(made[n] == l2PolicyOf(n));
}
