/* The vectors of the samples and operations on them, on the GPU if there is one and cuBLAS is
 * available, otherwise on the host; and a comparison of a loop's time with the same loop over
 * cuSPARSE. NVIDIA's libraries are opened at run time, so that the samples build without a CUDA
 * toolkit; your own program includes <cuda_runtime.h> and <cublas_v2.h> and links them. */
#ifndef SPECMV_SAMPLES_VECTORS_H
#define SPECMV_SAMPLES_VECTORS_H
/* NOLINTBEGIN(modernize-*): it is C, which C++ may include too */

#include "common.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

/* Like check(), for NVIDIA's libraries, in which 0 means success. */
static inline void checkCuda(int result, const char *call) {
  if (result == 0)
    return;
  fprintf(stderr, "error: %s failed with %d\n", call, result);
  exit(1);
}

/* --- The place of the vectors */

/* The functions of the driver and of cuBLAS that the samples call; all NULL on the host. */
typedef struct {
  int onGpu;
  void *stream, *blas;
  int (*memAlloc)(uint64_t *, size_t), (*memFree)(uint64_t);
  int (*toDevice)(uint64_t, const void *, size_t), (*toHost)(void *, uint64_t, size_t);
  int (*streamCreate)(void **, unsigned), (*synchronize)(void *), (*streamDestroy)(void *);
  int (*blasDot)(void *, int, const double *, int, const double *, int, double *);
  int (*blasAxpy)(void *, int, const double *, const double *, int, double *, int);
  int (*blasScal)(void *, int, const double *, double *, int);
  int (*blasCopy)(void *, int, const double *, int, double *, int);
  int (*blasDestroy)(void *);
} Place;

/* Sets *slot to the function; returns 0 if the library does not have it. */
static inline int find(void *library, const char *name, void *slot) {
  void *found = library ? dlsym(library, name) : NULL;
  memcpy(slot, &found, sizeof found);
  return found != NULL;
}

/* Makes the first GPU's context current for this thread; returns 0 if there is none. */
static inline int openDriver(void *driver, Place *place) {
  int (*init)(unsigned), (*retain)(void **, int), (*push)(void *);
  void *context = NULL;
  if (!find(driver, "cuInit", &init) || !find(driver, "cuDevicePrimaryCtxRetain", &retain) ||
      !find(driver, "cuCtxPushCurrent_v2", &push) ||
      !find(driver, "cuMemAlloc_v2", &place->memAlloc) ||
      !find(driver, "cuMemFree_v2", &place->memFree) ||
      !find(driver, "cuMemcpyHtoD_v2", &place->toDevice) ||
      !find(driver, "cuMemcpyDtoH_v2", &place->toHost) ||
      !find(driver, "cuStreamCreate", &place->streamCreate) ||
      !find(driver, "cuStreamDestroy_v2", &place->streamDestroy) ||
      !find(driver, "cuStreamSynchronize", &place->synchronize))
    return 0;
  return init(0) == 0 && retain(&context, 0) == 0 && push(context) == 0 &&
         place->streamCreate(&place->stream, 1 /* does not wait for the default stream */) == 0;
}

static inline void *openBlasLibrary(void) {
  static const char *const names[] = {"libcublas.so.13", "libcublas.so.12",
                                      "/usr/local/cuda/lib64/libcublas.so"};
  void *library = NULL;
  for (size_t i = 0; !library && i < sizeof names / sizeof *names; ++i)
    library = dlopen(names[i], RTLD_NOW);
  return library;
}

static inline int openBlas(void *blas, Place *place) {
  int (*create)(void **), (*setStream)(void *, void *);
  if (!find(blas, "cublasCreate_v2", &create) || !find(blas, "cublasSetStream_v2", &setStream) ||
      !find(blas, "cublasDestroy_v2", &place->blasDestroy) ||
      !find(blas, "cublasDdot_v2", &place->blasDot) ||
      !find(blas, "cublasDaxpy_v2", &place->blasAxpy) ||
      !find(blas, "cublasDscal_v2", &place->blasScal) ||
      !find(blas, "cublasDcopy_v2", &place->blasCopy))
    return 0;
  return create(&place->blas) == 0 && setStream(place->blas, place->stream) == 0;
}

/* Opens the place for vectors. `sums` is true if dot(), axpy(), scale() and copy() are needed. */
static inline Place openPlace(int sums) {
  Place host, place;
  memset(&host, 0, sizeof host);
  place = host;
  if (!openDriver(dlopen("libcuda.so.1", RTLD_NOW), &place)) {
    printf("place      the host: there is no GPU here\n");
    return host;
  }
  if (sums && !openBlas(openBlasLibrary(), &place)) {
    printf("place      vectors on the host, copied for each product: there is no cuBLAS here\n");
    return host;
  }
  printf("place      vectors on the GPU\n");
  place.onGpu = 1;
  return place;
}

static inline void closePlace(Place *place) {
  if (!place->onGpu)
    return;
  if (place->blas)
    checkCuda(place->blasDestroy(place->blas), "cublasDestroy");
  checkCuda(place->streamDestroy(place->stream), "cuStreamDestroy");
}

/* Options of a plan whose products take the vectors of this place. To run a sample with another
 * format than the one that specmv chooses: SAMPLE_FORMATS=sell,jad poisson_cg */
static inline specmvPlanOptions_t optionsFor(const Place *place) {
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  options.vectorsOnGpu = place->onGpu;
  options.formats = getenv("SAMPLE_FORMATS");
  return options;
}

/* --- Vectors */

/* Gives a vector, or numbers on the GPU, these values, which are on the host. When this returns,
 * they are there: the stream would not wait for a copy that is still on its way. */
static inline void setVector(const Place *place, int n, double *v, const double *values) {
  const size_t bytes = (size_t)n * sizeof(double);
  if (!place->onGpu) {
    memcpy(v, values, bytes);
    return;
  }
  checkCuda(place->toDevice((uint64_t)(uintptr_t)v, values, bytes), "cuMemcpyHtoD");
  checkCuda(place->synchronize(NULL), "cuStreamSynchronize");
}

/* Makes a vector with these values, which are on the host; NULL: zeros. */
static inline double *vectorOf(const Place *place, int n, const double *values) {
  double *zeros = (double *)allocate((size_t)n, sizeof(double));
  uint64_t device = 0;
  double *vector = zeros;
  if (place->onGpu) {
    checkCuda(place->memAlloc(&device, (size_t)n * sizeof(double)), "cuMemAlloc");
    vector = (double *)(uintptr_t)device;
  }
  if (values || place->onGpu)
    setVector(place, n, vector, values ? values : zeros);
  if (place->onGpu)
    free(zeros);
  return vector;
}

static inline void freeVector(const Place *place, double *v) {
  if (place->onGpu)
    checkCuda(place->memFree((uint64_t)(uintptr_t)v), "cuMemFree");
  else
    free(v);
}

/* Waits for the work on the stream, so that a clock may be read. */
static inline void finish(const Place *place) {
  if (place->onGpu)
    checkCuda(place->synchronize(place->stream), "cuStreamSynchronize");
}

static inline void toHost(const Place *place, int n, const double *v, double *values) {
  finish(place);
  if (place->onGpu)
    checkCuda(place->toHost(values, (uint64_t)(uintptr_t)v, (size_t)n * sizeof(double)),
              "cuMemcpyDtoH");
  else
    memcpy(values, v, (size_t)n * sizeof(double));
}

static inline double dot(const Place *place, int n, const double *a, const double *b) {
  double sum = 0;
  if (place->onGpu)
    checkCuda(place->blasDot(place->blas, n, a, 1, b, 1, &sum), "cublasDdot");
  else
    for (int i = 0; i < n; ++i)
      sum += a[i] * b[i];
  return sum;
}

/* y += alpha x */
static inline void axpy(const Place *place, int n, double alpha, const double *x, double *y) {
  if (place->onGpu)
    checkCuda(place->blasAxpy(place->blas, n, &alpha, x, 1, y, 1), "cublasDaxpy");
  else
    for (int i = 0; i < n; ++i)
      y[i] += alpha * x[i];
}

/* x *= alpha */
static inline void scale(const Place *place, int n, double alpha, double *x) {
  if (place->onGpu)
    checkCuda(place->blasScal(place->blas, n, &alpha, x, 1), "cublasDscal");
  else
    for (int i = 0; i < n; ++i)
      x[i] *= alpha;
}

/* y = x */
static inline void copy(const Place *place, int n, const double *x, double *y) {
  if (place->onGpu)
    checkCuda(place->blasCopy(place->blas, n, x, 1, y, 1), "cublasDcopy");
  else
    memcpy(y, x, (size_t)n * sizeof(double));
}

/* --- Comparison with cuSPARSE */

/* A complete loop over products with this plan. */
typedef void (*Loop)(specmvPlan_t plan, const Place *place, void *data);

/* Returns the milliseconds of the second run, since the first may still load kernels. */
static inline double timeOf(Loop loop, specmvPlan_t plan, const Place *place, void *data) {
  double begin = 0;
  for (int time = 0; time < 2; ++time) {
    finish(place);
    begin = milliseconds();
    loop(plan, place, data);
    finish(place);
  }
  return milliseconds() - begin;
}

/* Runs the same loop over cuSPARSE: with a plan of specmv whose product is one call of
 * cusparseSpMV() with its default algorithm for CSR. */
static inline void compareWithCusparse(Loop loop, specmvMatrix_t matrix, const Place *place,
                                       void *data, double ownMs) {
  specmvPlanOptions_t options = optionsFor(place);
  specmvPlan_t plan;
  options.formats = "cusparse-csr";
  if (!place->onGpu) {
    printf("cuSPARSE   not compared: the vectors are on the host\n");
    return;
  }
  const specmvStatus_t status = specmvCreatePlan(&plan, matrix, &options);
  if (status == SPECMV_STATUS_MISSING) {
    printf("cuSPARSE   not compared: %s\n", specmvGetLastErrorDetail());
    return;
  }
  check(status, "specmvCreatePlan");
  const double ms = timeOf(loop, plan, place, data);
  printf("cuSPARSE   %.2f ms: %.2f times ours\n", ms, ms / ownMs);
  check(specmvDestroyPlan(plan), "specmvDestroyPlan");
}

/* NOLINTEND(modernize-*) */
#endif
