/* A CUDA driver without a GPU. cuInit comes to SPECMV_FAKE_CUINIT. All else fails with
 * CUDA_ERROR_UNKNOWN; with SPECMV_FAKE_GPU set, there is a GPU whose memory is the host's and whose
 * kernels do nothing, and only the function that SPECMV_FAKE_FAILS names fails. SPECMV_FAKE_NAME is
 * its name in place of that of an H200; SPECMV_FAKE_ATTRIBUTE=16=-5 answers -5 for attribute 16,
 * SPECMV_FAKE_DRIVER is its version, and SPECMV_FAKE_MEMORY how much memory the GPU has. With
 * SPECMV_FAKE_MAPS it maps memory. Calls that could break a capture are counted. */
#include "fake_outcome.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Things made and not destroyed. */
int fakeLive = 0;
/* The functions called, each name with a space behind it; what does not fit is left out. */
char fakeTrace[1 << 16];
pthread_mutex_t fakeTraceMutex = PTHREAD_MUTEX_INITIALIZER;
/* What every pointer points to: 1 is host memory, 2 device memory; of which GPU; whether it is
 * managed. */
unsigned fakeMemoryType = 1, fakeMemoryDevice = 0, fakeMemoryIsManaged = 0;

static void trace(const char *name) {
  pthread_mutex_lock(&fakeTraceMutex);
  const size_t used = strlen(fakeTrace), size = strlen(name);
  if (used + size + 2 <= sizeof fakeTrace) {
    memcpy(fakeTrace + used, name, size);
    strcpy(fakeTrace + used + size, " ");
  }
  pthread_mutex_unlock(&fakeTraceMutex);
}

/* The capture mode of the thread: 0 is global, which a thread begins with, and 2 is relaxed. */
static __thread int captureMode = 0;
/* Counts calls that a driver could refuse because another thread captures a stream: all in another
 * mode than the relaxed one, but those that only look. */
int fakeUnsafeCalls = 0;
static int onlyLooks(const char *name) {
  return strncmp(name, "cuCtx", 5) == 0 || strncmp(name, "cuDevice", 8) == 0 ||
         strcmp(name, "cuDriverGetVersion") == 0 || strcmp(name, "cuPointerGetAttributes") == 0 ||
         strcmp(name, "cuStreamIsCapturing") == 0;
}
int cuThreadExchangeStreamCaptureMode(int *mode) {
  const int before = captureMode;
  captureMode = *mode;
  *mode = before;
  return 0;
}

static int outcome(const char *name) {
  trace(name);
  if (captureMode != 2 && !onlyLooks(name))
    __atomic_fetch_add(&fakeUnsafeCalls, 1, __ATOMIC_RELAXED);
  const char *fails = getenv("SPECMV_FAKE_FAILS");
  return getenv("SPECMV_FAKE_GPU") && !(fails && strcmp(fails, name) == 0) ? 0 : 999;
}
/* The same for fake_streams.c. */
int fakeOutcome(const char *name) { return outcome(name); }
int fakeDefaultStreamCalls = 0; /* those on the default stream */
int fakeOutcomeOn(const char *name, const void *stream) {
  __atomic_fetch_add(&fakeDefaultStreamCalls, stream == NULL, __ATOMIC_RELAXED);
  return outcome(name);
}

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

/* --- What answers ------------------------------------------------------------------------------
 */
#define ANSWER(name, type, answer, ...)                                                            \
  int name(type *out, ##__VA_ARGS__) {                                                             \
    const int result = outcome(#name);                                                             \
    if (result == 0)                                                                               \
      *out = (answer);                                                                             \
    return result;                                                                                 \
  }
ANSWER(cuDriverGetVersion, int, atoi(getenv("SPECMV_FAKE_DRIVER") ?: "13000"))
ANSWER(cuDeviceGetCount, int, 1)
ANSWER(cuDeviceGet, int, ordinal, int ordinal)
/* In kHz; 0, as from a driver that does not tell, where the environment has none. */
static int fakeClock(const char *name) {
  const char *kilohertz = getenv(name);
  return kilohertz ? atoi(kilohertz) : 0;
}
static int attribute(int what) {
  const char *planted = getenv("SPECMV_FAKE_ATTRIBUTE");
  if (planted && atoi(planted) == what)
    return atoi(strchr(planted, '=') + 1);
  return what == 75    ? 9 /* the architecture */
         : what == 76  ? 0
         : what == 13  ? fakeClock("SPECMV_FAKE_CLOCK")
         : what == 36  ? fakeClock("SPECMV_FAKE_MEMORY_CLOCK")
         : what == 102 ? getenv("SPECMV_FAKE_MAPS") != NULL
                       : 1024;
}
ANSWER(cuDeviceGetAttribute, int, attribute(what), int what)
ANSWER(cuDeviceTotalMem_v2, size_t,
       getenv("SPECMV_FAKE_MEMORY") ? strtoull(getenv("SPECMV_FAKE_MEMORY"), NULL, 10)
                                    : kFakeMemory)
ANSWER(cuModuleGetFunction, void *, &fakeLive)

/* What is measured next, one after another until there is a 0, in microseconds; else 1500. */
float fakeTimes[64] = {0};
int fakeTimings = 0;
int cuEventElapsedTime(float *milliseconds) {
  const int result = outcome("cuEventElapsedTime");
  const float us = fakeTimings < 63 ? fakeTimes[fakeTimings] : 0;
  fakeTimings += us > 0;
  *milliseconds = us > 0 ? us / 1000 : 1.5F;
  return result;
}

int cuDeviceGetName(char *name, int size, int device) {
  const char *fake = getenv("SPECMV_FAKE_NAME");
  (void)device;
  snprintf(name, (size_t)size, "%s", fake ? fake : "Fake H200");
  return outcome("cuDeviceGetName");
}

/* SPECMV_FAKE_UUID tells the GPUs of two processes apart. */
int cuDeviceGetUuid(char *uuid, int device) {
  const char *fake = getenv("SPECMV_FAKE_UUID");
  (void)device;
  strncpy(uuid, fake ? fake : "one for all", 16);
  return outcome("cuDeviceGetUuid");
}

int cuPointerGetAttributes(unsigned count, const int *what, unsigned **out, uint64_t pointer) {
  (void)pointer;
  for (unsigned i = 0; i < count; ++i)
    *out[i] = what[i] == 2   ? fakeMemoryType
              : what[i] == 9 ? fakeMemoryDevice
              : what[i] == 8 ? fakeMemoryIsManaged
                             : 0;
  return outcome("cuPointerGetAttributes");
}

/* --- What is made and destroyed ----------------------------------------------------------------
 */
static int make(const char *name, void **out, size_t bytes) {
  const int result = outcome(name);
  if (result != 0)
    return result;
  *out = malloc(bytes);
  __atomic_fetch_add(&fakeLive, *out != NULL, __ATOMIC_RELAXED);
  return *out ? 0 : 2; /* out of memory */
}

static int destroy(const char *name, void *thing) {
  const int result = outcome(name);
  if (result != 0)
    return result;
  __atomic_fetch_sub(&fakeLive, 1, __ATOMIC_RELAXED);
  free(thing);
  return 0;
}

#define MAKE(name)                                                                                 \
  int name(void **out) { return make(#name, out, 1); }
#define DESTROY(name)                                                                              \
  int name(void *thing) { return destroy(#name, thing); }
DESTROY(cuModuleUnload)
MAKE(cuStreamCreate)
int cuStreamCreateWithPriority(void **out, unsigned flags, int priority) {
  (void)flags; /* specmv takes the least; SPECMV_FAKE_PROGRAM is of a program that takes both */
  return priority == 5 || (priority == -5 && getenv("SPECMV_FAKE_PROGRAM"))
             ? make("cuStreamCreateWithPriority", out, 1)
             : 1;
}
int cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  *least = 5, *greatest = -5;
  return outcome("cuCtxGetStreamPriorityRange");
}
DESTROY(cuStreamDestroy_v2)
MAKE(cuEventCreate)
DESTROY(cuEventDestroy_v2)
DESTROY(cuMemFreeHost)
int cuStreamEndCapture(void *stream, void **out) {
  (void)stream;
  return make("cuStreamEndCapture", out, 1);
}
DESTROY(cuGraphDestroy)
MAKE(cuGraphInstantiateWithFlags)
DESTROY(cuGraphExecDestroy)

/* NOLINTBEGIN(readability-identifier-naming): the driver's names */
int cuMemHostAlloc(void **out, size_t bytes) { return make("cuMemHostAlloc", out, bytes); }
static int allocate(const char *name, uint64_t *out, size_t bytes) {
  void *memory = NULL;
  const int result = bytes > kFakeMemory ? 2 : make(name, &memory, bytes); /* 2: out of memory */
  *out = (uint64_t)(uintptr_t)memory;
  return result;
}
int cuMemAlloc_v2(uint64_t *out, size_t bytes) { return allocate("cuMemAlloc_v2", out, bytes); }
int cuMemFree_v2(uint64_t memory) { return destroy("cuMemFree_v2", (void *)(uintptr_t)memory); }
/* What is reserved has all of its memory, and mapping it (fake_maps.c) only counts. */
int cuMemAddressReserve(uint64_t *out, size_t bytes) {
  void *memory = NULL;
  const int result = make("cuMemAddressReserve", &memory, bytes);
  *out = (uint64_t)(uintptr_t)memory;
  return result;
}
int cuMemAddressFree(uint64_t at) { return destroy("cuMemAddressFree", (void *)(uintptr_t)at); }

/* The contexts of the thread, the current one last. */
static __thread void *contexts[16];
static __thread int contextCount = 0;
int cuCtxGetCurrent(void **out) {
  *out = contextCount > 0 ? contexts[contextCount - 1] : NULL;
  return outcome("cuCtxGetCurrent");
}
int fakeIsReset = 0; /* the device, so that no context of it can be used */
int cuCtxPushCurrent_v2(void *context) {
  const int result = fakeIsReset ? 709 : outcome("cuCtxPushCurrent_v2");
  if (result == 0)
    contexts[contextCount++] = context;
  return result;
}
int cuCtxPopCurrent_v2(void **out) {
  const int result = outcome("cuCtxPopCurrent_v2");
  *out = contexts[--contextCount]; /* even if it is told to fail, or the stack would overflow */
  return result;
}

int cuDevicePrimaryCtxRetain(void **out) {
  static char context;
  const int result = outcome("cuDevicePrimaryCtxRetain");
  __atomic_fetch_add(&fakeLive, result == 0, __ATOMIC_RELAXED);
  *out = &context;
  return result;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  (void)device;
  __atomic_fetch_sub(&fakeLive, 1, __ATOMIC_RELAXED);
  return outcome("cuDevicePrimaryCtxRelease_v2");
}
/* NOLINTEND(readability-identifier-naming) */

/* --- What is done ------------------------------------------------------------------------------
 */
int cuMemsetD8Async(uint64_t to, unsigned char byte, size_t bytes, void *stream) {
  const int result = fakeOutcomeOn("cuMemsetD8Async", stream);
  if (result == 0)
    memset((void *)(uintptr_t)to, byte, bytes);
  return result;
}
/* Of the last kernel that is no product, as many as a test asks for. */
uint64_t fakeSetupArguments[4] = {0};
int fakeSetupArgumentCount = 0;
int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                   unsigned blockY, unsigned blockZ, unsigned shared, void *stream,
                   void **arguments) {
  for (int i = 0; i < fakeSetupArgumentCount; ++i)
    memcpy(fakeSetupArguments + i, arguments[i], sizeof fakeSetupArguments[i]);
  (void)function, (void)gridX, (void)gridY, (void)gridZ;
  (void)blockX, (void)blockY, (void)blockZ, (void)shared;
  return fakeOutcomeOn("cuLaunchKernel", stream);
}
uint64_t fakeArguments[16] = {0}; /* of the last product, as many as a test asks for */
int fakeArgumentCount = 1;
/* The stream is behind three sizes of the grid, three of a block and the bytes of shared memory. */
int cuLaunchKernelEx(const unsigned *configuration, void *function, void **arguments) {
  void *stream = NULL;
  for (int i = 0; i < fakeArgumentCount; ++i)
    memcpy(fakeArguments + i, arguments[i], sizeof fakeArguments[i]);
  (void)function, memcpy(&stream, configuration + 8, sizeof stream);
  return fakeOutcomeOn("cuLaunchKernelEx", stream);
}

/* An ELF file that the fake compiler made to be refused is not loaded. */
int cuModuleLoadData(void **out, const char *image) {
  if (getenv("SPECMV_FAKE_GPU") && memcmp(image, "\177ELF", 4) == 0 &&
      memcmp(image, "\177ELFloads", 9) != 0)
    return 200; /* CUDA_ERROR_INVALID_IMAGE */
  fakeForgetFunction();
  return make("cuModuleLoadData", out, 1);
}

#define DO(name)                                                                                   \
  int name(void) { return outcome(#name); }
DO(cuStreamBeginCapture_v2)
DO(cuGraphLaunch)
