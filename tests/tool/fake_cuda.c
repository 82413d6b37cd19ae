/* A CUDA driver that fails: cuInit with SPECMV_FAKE_CUINIT, all else with CUDA_ERROR_UNKNOWN. */
#include <stdlib.h>

int cuInit(unsigned flags) {
  const char *result = getenv("SPECMV_FAKE_CUINIT");
  (void)flags;
  return result ? atoi(result) : 0;
}

int cuGetErrorName(int error, const char **text) {
  (void)error;
  *text = "FAKE_ERROR";
  return 0;
}

int cuGetErrorString(int error, const char **text) {
  (void)error;
  *text = "an error of the fake driver";
  return 0;
}

#define FAIL(name)                                                                                 \
  int name(void) { return 999; }
FAIL(cuDriverGetVersion)
FAIL(cuDeviceGetCount)
FAIL(cuDeviceGet)
FAIL(cuDeviceGetName)
FAIL(cuDeviceGetAttribute)
FAIL(cuDeviceTotalMem_v2)
FAIL(cuDevicePrimaryCtxRetain)
FAIL(cuDevicePrimaryCtxRelease_v2)
FAIL(cuCtxPushCurrent_v2)
FAIL(cuCtxPopCurrent_v2)
FAIL(cuCtxSynchronize)
FAIL(cuMemAlloc_v2)
FAIL(cuMemFree_v2)
FAIL(cuMemcpyHtoD_v2)
FAIL(cuMemcpyDtoH_v2)
FAIL(cuMemcpyHtoDAsync_v2)
FAIL(cuMemcpyDtoHAsync_v2)
FAIL(cuMemcpyDtoDAsync_v2)
FAIL(cuMemHostAlloc)
FAIL(cuMemFreeHost)
FAIL(cuMemsetD8Async)
FAIL(cuPointerGetAttribute)
FAIL(cuModuleLoadData)
FAIL(cuModuleUnload)
FAIL(cuModuleGetFunction)
FAIL(cuFuncSetAttribute)
FAIL(cuLaunchKernel)
FAIL(cuLaunchHostFunc)
FAIL(cuStreamCreate)
FAIL(cuStreamDestroy_v2)
FAIL(cuStreamWaitEvent)
FAIL(cuStreamSynchronize)
FAIL(cuEventCreate)
FAIL(cuEventDestroy_v2)
FAIL(cuEventRecord)
FAIL(cuEventSynchronize)
FAIL(cuEventElapsedTime)
