// The functions of the CUDA driver, resolved at run time. Only for the files of this folder.
#pragma once

#include "runtime/cuda/device.h"

#include <cuda.h>

namespace specmv {

// All driver functions used: the name in cuda.h, and the name that libcuda exports.
#define SPECMV_DRIVER_FUNCTIONS(X)                                                                 \
  X(cuInit, cuInit)                                                                                \
  X(cuGetErrorName, cuGetErrorName)                                                                \
  X(cuGetErrorString, cuGetErrorString)                                                            \
  X(cuDriverGetVersion, cuDriverGetVersion)                                                        \
  X(cuDeviceGetCount, cuDeviceGetCount)                                                            \
  X(cuDeviceGet, cuDeviceGet)                                                                      \
  X(cuDeviceGetName, cuDeviceGetName)                                                              \
  X(cuDeviceGetAttribute, cuDeviceGetAttribute)                                                    \
  X(cuDeviceTotalMem, cuDeviceTotalMem_v2)                                                         \
  X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain)                                            \
  X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2)                                       \
  X(cuCtxPushCurrent, cuCtxPushCurrent_v2)                                                         \
  X(cuCtxPopCurrent, cuCtxPopCurrent_v2)                                                           \
  X(cuCtxGetCurrent, cuCtxGetCurrent)                                                              \
  X(cuMemAlloc, cuMemAlloc_v2)                                                                     \
  X(cuMemFree, cuMemFree_v2)                                                                       \
  X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2)                                                       \
  X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2)                                                       \
  X(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2)                                                       \
  X(cuMemHostAlloc, cuMemHostAlloc)                                                                \
  X(cuMemFreeHost, cuMemFreeHost)                                                                  \
  X(cuMemsetD8Async, cuMemsetD8Async)                                                              \
  X(cuPointerGetAttributes, cuPointerGetAttributes)                                                \
  X(cuModuleLoadData, cuModuleLoadData)                                                            \
  X(cuModuleUnload, cuModuleUnload)                                                                \
  X(cuModuleGetFunction, cuModuleGetFunction)                                                      \
  X(cuFuncGetAttribute, cuFuncGetAttribute)                                                        \
  X(cuFuncSetAttribute, cuFuncSetAttribute)                                                        \
  X(cuLaunchKernel, cuLaunchKernel)                                                                \
  X(cuLaunchHostFunc, cuLaunchHostFunc)                                                            \
  X(cuStreamCreate, cuStreamCreate)                                                                \
  X(cuStreamDestroy, cuStreamDestroy_v2)                                                           \
  X(cuStreamWaitEvent, cuStreamWaitEvent)                                                          \
  X(cuStreamSynchronize, cuStreamSynchronize)                                                      \
  X(cuEventCreate, cuEventCreate)                                                                  \
  X(cuEventDestroy, cuEventDestroy_v2)                                                             \
  X(cuEventRecord, cuEventRecord)                                                                  \
  X(cuEventQuery, cuEventQuery)                                                                    \
  X(cuEventSynchronize, cuEventSynchronize)                                                        \
  X(cuEventElapsedTime, cuEventElapsedTime)

// Functions that an old driver may lack; they are null then.
#define SPECMV_OPTIONAL_DRIVER_FUNCTIONS(X)                                                        \
  X(cuCtxGetId, cuCtxGetId)                                                                        \
  X(cuLaunchKernelEx, cuLaunchKernelEx)                                                            \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor)      \
  X(cuMemGetInfo, cuMemGetInfo_v2)                                                                 \
  X(cuMemAddressReserve, cuMemAddressReserve)                                                      \
  X(cuMemAddressFree, cuMemAddressFree)                                                            \
  X(cuMemCreate, cuMemCreate)                                                                      \
  X(cuMemRelease, cuMemRelease)                                                                    \
  X(cuMemMap, cuMemMap)                                                                            \
  X(cuMemUnmap, cuMemUnmap)                                                                        \
  X(cuMemSetAccess, cuMemSetAccess)                                                                \
  X(cuMemGetAllocationGranularity, cuMemGetAllocationGranularity)                                  \
  X(cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange)                                      \
  X(cuStreamCreateWithPriority, cuStreamCreateWithPriority)                                        \
  X(cuStreamBeginCapture, cuStreamBeginCapture_v2)                                                 \
  X(cuStreamEndCapture, cuStreamEndCapture)                                                        \
  X(cuStreamIsCapturing, cuStreamIsCapturing)                                                      \
  X(cuStreamGetId, cuStreamGetId)                                                                  \
  X(cuThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode)                          \
  X(cuGraphInstantiate, cuGraphInstantiateWithFlags)                                               \
  X(cuGraphLaunch, cuGraphLaunch)                                                                  \
  X(cuGraphExecDestroy, cuGraphExecDestroy)                                                        \
  X(cuGraphDestroy, cuGraphDestroy)

struct Driver {
#define SPECMV_MEMBER(member, symbol) decltype(&::symbol) member = nullptr;
  SPECMV_DRIVER_FUNCTIONS(SPECMV_MEMBER)
  SPECMV_OPTIONAL_DRIVER_FUNCTIONS(SPECMV_MEMBER)
#undef SPECMV_MEMBER

  // Returns the driver, which is opened and initialized on first use. AbsentError if this machine
  // has no driver or no GPU; another error if it has both and the driver fails, or if this process
  // was forked since the driver was opened. The pointer stays valid.
  static llvm::Expected<const Driver *> get();
  // Returns the driver even after a fork; the caller must then call nothing.
  static llvm::Expected<const Driver *> opened();
  // Returns true if that was done and succeeded.
  static bool isOpen();

  unsigned forks = 0; // number of forks when it was opened

  // success(), or an error with the name of the call and CUDA's name and text for the result.
  llvm::Error check(CUresult result, const char *call) const;
};

// Returns the driver. Call it only where a GpuDevice exists, since the driver is then open.
inline const Driver &driver() { return *llvm::cantFail(Driver::opened()); }

// Some driver calls are never made here, since they break captures of other threads and wait for
// their work: cuCtxSynchronize (which even crashes during a capture, driver 580), and calls on the
// default stream that the program did not request. cuMemFree, cuMemFreeHost, cuModuleLoadData and
// cuModuleUnload break nothing in relaxed mode (GpuDevice::Current), but wait for all work of the
// GPU (both measured, H200, driver 580.159).
//
// Calls call(driver), which makes one driver call, in the context of the GPU.
template <class Call> llvm::Error callIn(const GpuDevice &gpu, const char *name, const Call &call) {
  const GpuDevice::Current current(gpu);
  if (llvm::Error error = current.check())
    return error;
  return driver().check(call(driver()), name);
}

} // namespace specmv
