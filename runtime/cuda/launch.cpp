// Launches kernels on a GPU's streams.
#include "models/gpus/borrow.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/driver.h"

#include <algorithm>

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

// Returns 0 if the driver does not report it.
static int64_t attributeOf(const Driver &d, CUdevice device, CUdevice_attribute attribute) {
  int value = 0;
  return d.cuDeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS ? value : 0;
}

void GpuDevice::leaveL1(void *function, uint32_t blockThreads, uint32_t sharedBytes) const {
  const Current current(*this);
  const Driver &d = driver();
  if (!current.isCurrent() || !d.cuOccupancyMaxActiveBlocksPerMultiprocessor)
    return;
  auto *const kernel = static_cast<CUfunction>(function);
  CUdevice device = 0;
  int blocks = 0, staticBytes = 0;
  if (d.cuDeviceGet(&device, info_.ordinal) != CUDA_SUCCESS ||
      d.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(blockThreads),
                                                    sharedBytes) != CUDA_SUCCESS ||
      d.cuFuncGetAttribute(&staticBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel) !=
          CUDA_SUCCESS)
    return;
  const int64_t most =
      attributeOf(d, device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  const int64_t ofBlock =
      staticBytes + int64_t{sharedBytes} +
      attributeOf(d, device, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  if (most <= 0 || blocks <= 0)
    return;
  const auto percent =
      static_cast<int>(std::min<int64_t>(100, (blocks * ofBlock * 100 + most - 1) / most));
  d.cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, percent);
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
