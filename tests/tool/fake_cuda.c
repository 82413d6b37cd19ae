/* A CUDA driver that fails: cuInit with SPECMV_FAKE_CUINIT, all else with CUDA_ERROR_UNKNOWN. Where
   SPECMV_FAKE_GPU is set it has a GPU that takes arrays and objects, and runs nothing. */
#include <stdlib.h>
#include <string.h>

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
FAIL(cuCtxSynchronize)
FAIL(cuMemcpyDtoH_v2)
FAIL(cuMemcpyHtoDAsync_v2)
FAIL(cuMemcpyDtoHAsync_v2)
FAIL(cuMemcpyDtoDAsync_v2)
FAIL(cuMemHostAlloc)
FAIL(cuMemFreeHost)
FAIL(cuMemsetD8Async)
FAIL(cuPointerGetAttribute)
FAIL(cuLaunchKernel)
FAIL(cuLaunchHostFunc)
FAIL(cuStreamCreate)
FAIL(cuStreamDestroy_v2)
FAIL(cuStreamWaitEvent)
FAIL(cuEventCreate)
FAIL(cuEventDestroy_v2)
FAIL(cuEventRecord)
FAIL(cuEventSynchronize)
FAIL(cuEventElapsedTime)

/* What the GPU that there is does; without one, as everything else. The names are the driver's.
   NOLINTBEGIN(readability-identifier-naming) */
#define UNLESS_GPU                                                                                 \
  if (!getenv("SPECMV_FAKE_GPU"))                                                                  \
    return 999;

int cuDriverGetVersion(int *version) {
  UNLESS_GPU
  *version = 13000;
  return 0;
}

int cuDeviceGetCount(int *count) {
  UNLESS_GPU
  *count = 1;
  return 0;
}

int cuDeviceGet(int *device, int ordinal) {
  UNLESS_GPU
  *device = ordinal;
  return 0;
}

int cuDeviceGetName(char *name, int size, int device) {
  UNLESS_GPU(void) device;
  strncpy(name, "Fake H200", (size_t)size);
  return 0;
}

int cuDeviceGetAttribute(int *value, int what, int device) {
  UNLESS_GPU(void) device;
  *value = what == 75 ? 9 : what == 76 ? 0 : 1024; /* the compute capability is 9.0 */
  return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  UNLESS_GPU(void) device;
  *bytes = (size_t)1 << 30;
  return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  UNLESS_GPU
  static int theContext;
  (void)device;
  *context = &theContext;
  return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  UNLESS_GPU(void) device;
  return 0;
}

int cuCtxPushCurrent_v2(void *context) {
  UNLESS_GPU(void) context;
  return 0;
}

int cuCtxPopCurrent_v2(void **context) {
  UNLESS_GPU
  *context = NULL;
  return 0;
}

int cuMemAlloc_v2(unsigned long long *pointer, size_t bytes) {
  UNLESS_GPU
  *pointer = (unsigned long long)(size_t)malloc(bytes);
  return 0;
}

int cuMemFree_v2(unsigned long long pointer) {
  UNLESS_GPU
  free((void *)(size_t)pointer);
  return 0;
}

int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes) {
  UNLESS_GPU
  memcpy((void *)(size_t)to, from, bytes);
  return 0;
}

int cuModuleLoadData(void **module, const char *image) {
  UNLESS_GPU
  static int theModule;
  if (memcmp(image, "\177ELFloads", 9) != 0)
    return 200; /* CUDA_ERROR_INVALID_IMAGE */
  *module = &theModule;
  return 0;
}

int cuModuleUnload(void *module) {
  UNLESS_GPU(void) module;
  return 0;
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
  UNLESS_GPU(void) name;
  *function = module;
  return 0;
}

int cuFuncSetAttribute(void *function, int what, int value) {
  UNLESS_GPU(void) function, (void)what, (void)value;
  return 0;
}

int cuStreamSynchronize(void *stream) {
  UNLESS_GPU(void) stream;
  return 0;
}
/* NOLINTEND(readability-identifier-naming) */
