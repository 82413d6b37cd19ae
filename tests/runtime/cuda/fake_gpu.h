// The GPU of the fake driver, as a GpuDevice.
#pragma once

#include "runtime/cuda/device.h"
#include "tests/runtime/cuda/fake_driver.h"

inline std::shared_ptr<const specmv::GpuDevice> openGpu() {
  return llvm::cantFail(specmv::GpuDevice::open(0));
}

// Counts the objects that remain after the GPU is released.
inline int leftOfGpu() {
  llvm::cantFail(specmv::GpuDevice::release(0));
  return fakeLive();
}
