// Launches kernels on a GPU's streams.
#include "models/gpus/sheet.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/driver.h"

namespace specmv {

llvm::Error GpuDevice::launch(void *function, std::array<uint32_t, 3> grid, uint32_t blockThreads,
                              uint32_t sharedBytes, const void *const *arguments,
                              StreamHandle stream) const {
  return callIn(*this, "cuLaunchKernel", [&](const Driver &d) {
    return d.cuLaunchKernel(static_cast<CUfunction>(function), grid[0], grid[1], grid[2],
                            blockThreads, 1, 1, sharedBytes, static_cast<CUstream>(stream),
                            const_cast<void **>(arguments), nullptr);
  });
}

// Graphs keep such launches as edges of their own kind, which drivers know since CUDA 12.3.
static bool canLaunchEarly(const GpuInfo &info) {
  constexpr int kFirstDriver = 12030;
  return driver().cuLaunchKernelEx && info.driverVersion >= kFirstDriver &&
         launchesEarly(info.arch);
}

llvm::Error GpuDevice::launchEarly(void *function, std::array<uint32_t, 3> grid,
                                   uint32_t blockThreads, uint32_t sharedBytes,
                                   const void *const *arguments, StreamHandle stream) const {
  if (!canLaunchEarly(info_))
    return launch(function, grid, blockThreads, sharedBytes, arguments, stream);
  CUlaunchAttribute early{};
  early.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  early.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config{};
  config.gridDimX = grid[0];
  config.gridDimY = grid[1];
  config.gridDimZ = grid[2];
  config.blockDimX = blockThreads;
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = sharedBytes;
  config.hStream = static_cast<CUstream>(stream);
  config.attrs = &early;
  config.numAttrs = 1;
  return callIn(*this, "cuLaunchKernelEx", [&](const Driver &d) {
    return d.cuLaunchKernelEx(&config, static_cast<CUfunction>(function),
                              const_cast<void **>(arguments), nullptr);
  });
}

} // namespace specmv
