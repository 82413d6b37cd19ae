/* A cuSPARSE that multiplies in CSR on the host, whose memory is that of the fake GPU. Without
   SPECMV_FAKE_CUSPARSE it finds no GPU. It has the functions of old versions only, or, if it is
   built with SPECMV_FAKE_NEWEST, SpMVOp and SpMVGeneric as well. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A matrix or a vector. wide: indices of 64 bits; isDouble: values. */
struct Thing {
  int64_t rows;
  const void *rowPtr, *col;
  void *val;
  int wide, isDouble;
};

int cusparseGetProperty(int what, int *value) {
#ifdef SPECMV_FAKE_NEWEST
  static const int version[] = {12, 9, 4};
#else
  static const int version[] = {12, 0, 0};
#endif
  *value = version[what];
  return 0;
}

const char *cusparseGetErrorName(int status) {
  (void)status;
  return "FAKE_CUSPARSE_ERROR";
}

const char *cusparseGetErrorString(int status) {
  (void)status;
  return "an error of the fake cuSPARSE";
}

/* Handles made, and handles destroyed. */
int fakeHandlesMade = 0, fakeHandlesDestroyed = 0;

int cusparseCreate(void **handle) {
  if (!getenv("SPECMV_FAKE_CUSPARSE"))
    return 1; /* CUSPARSE_STATUS_NOT_INITIALIZED */
  *handle = malloc(1);
  ++fakeHandlesMade;
  return 0;
}

static int release(void *thing) {
  free(thing);
  return 0;
}
int cusparseDestroy(void *handle) {
  ++fakeHandlesDestroyed;
  return release(handle);
}
int cusparseDestroySpMat(void *matrix) { return release(matrix); }
int cusparseDestroyDnVec(void *vector) { return release(vector); }
int cusparseSetPointerMode(void) { return 0; }
/* Handles whose stream was set, and what that comes to. */
int fakeStreamsSet = 0, fakeSetStreamResult = 0;
int cusparseSetStream(void) {
  ++fakeStreamsSet;
  return fakeSetStreamResult;
}

static int make(struct Thing **out, struct Thing thing) {
  *out = malloc(sizeof thing);
  **out = thing;
  return 0;
}

int cusparseCreateConstCsr(struct Thing **out, int64_t rows, int64_t cols, int64_t nnz,
                           const void *rowPtr, const void *col, const void *val, int rowType,
                           int colType, int base, int type) {
  (void)cols, (void)nnz, (void)colType, (void)base;
  return make(out, (struct Thing){rows, rowPtr, col, (void *)val, rowType == 3, type == 1});
}

int cusparseCreateConstCoo(void) { return 10; /* CUSPARSE_STATUS_NOT_SUPPORTED */ }

int cusparseCreateDnVec(struct Thing **out, int64_t size, void *values, int type) {
  return values ? make(out, (struct Thing){size, NULL, NULL, values, 0, type == 1}) : 3;
}

int cusparseDnVecSetValues(struct Thing *vector, void *values) {
  vector->val = values;
  return 0;
}

/* NOLINTNEXTLINE(readability-identifier-naming): the library's name */
int cusparseSpMV_bufferSize(void *handle, int operation, const void *alpha, const struct Thing *a,
                            const struct Thing *x, const void *beta, const struct Thing *y,
                            int type, int algorithm, size_t *bytes) {
  (void)handle, (void)operation, (void)alpha, (void)a, (void)x, (void)beta, (void)y, (void)type;
  (void)algorithm;
  *bytes = 16;
  return 0;
}

static int64_t indexAt(const struct Thing *a, const void *array, int64_t i) {
  return a->wide ? ((const int64_t *)array)[i] : ((const int32_t *)array)[i];
}

static double valueAt(const struct Thing *of, const void *values, int64_t i) {
  return of->isDouble ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

static void store(const struct Thing *y, int64_t i, double value) {
  if (y->isDouble)
    ((double *)y->val)[i] = value;
  else
    ((float *)y->val)[i] = (float)value;
}

int cusparseSpMV(void *handle, int operation, const void *alpha, const struct Thing *a,
                 const struct Thing *x, const void *beta, const struct Thing *y, int type,
                 int algorithm, void *buffer) {
  (void)handle, (void)operation, (void)type, (void)algorithm, (void)buffer;
  for (int64_t i = 0; i < a->rows; ++i) {
    double sum = 0;
    const double factor = valueAt(a, beta, 0);
    for (int64_t e = indexAt(a, a->rowPtr, i); e < indexAt(a, a->rowPtr, i + 1); ++e)
      sum += valueAt(a, a->val, e) * valueAt(x, x->val, indexAt(a, a->col, e));
    store(y, i, valueAt(a, alpha, 0) * sum + (factor != 0 ? factor * valueAt(y, y->val, i) : 0));
  }
  return 0;
}

/* --- SpMVOp, which the newest versions have: it multiplies as cusparseSpMV does, by the values
   that the matrix had when the plan was made, as a real plan may. ALG2 is refused in single
   precision. */
#ifdef SPECMV_FAKE_NEWEST
/* NOLINTBEGIN(readability-identifier-naming): the library's names */
/* The result of the next preparations of SpMVOp and SpMVGeneric. */
int fakePrepareResult = 0;

int cusparseSpMVOp_bufferSize(void *handle, int operation, const struct Thing *a,
                              const struct Thing *x, const struct Thing *y, const struct Thing *z,
                              int type, int algorithm, size_t *bytes) {
  (void)handle, (void)operation, (void)a, (void)x, (void)y, (void)z;
  *bytes = 16;
  return algorithm == 2 && type == 0 ? 10 : 0;
}

int cusparseSpMVOp_createDescr(void *handle, const struct Thing **out, int operation,
                               const struct Thing *a) {
  (void)handle, (void)operation;
  *out = a;
  return 0;
}
int cusparseSpMVOp_destroyDescr(const struct Thing *description) {
  (void)description;
  return 0;
}

/* The matrix with a copy of its values. */
static struct Thing withValuesOf(const struct Thing *a) {
  const size_t bytes =
      (size_t)indexAt(a, a->rowPtr, a->rows) * (a->isDouble ? sizeof(double) : sizeof(float));
  struct Thing out = *a;
  out.val = memcpy(malloc(bytes + 1), a->val, bytes);
  return out;
}

int cusparseSpMVOp_createPlan(void *handle, const struct Thing *description, struct Thing **out) {
  (void)handle;
  return fakePrepareResult ? fakePrepareResult : make(out, withValuesOf(description));
}
int cusparseSpMVOp_destroyPlan(struct Thing *plan) {
  if (plan)
    free(plan->val);
  return release(plan);
}

int cusparseSpMVOp(void *handle, const struct Thing *plan, const void *alpha, const void *beta,
                   const struct Thing *x, const struct Thing *y, const struct Thing *z) {
  (void)z;
  return cusparseSpMV(handle, 0, alpha, plan, x, beta, y, 0, 0, NULL);
}

/* --- SpMVGeneric: it multiplies if the description has been given all parameters, in the order
   that the real one asks for, by the values that the matrix had when it was preprocessed. As the
   real one, it takes the default algorithm, 0, and ALG1 of CSR, 2. */
struct Parameters {
  int operation, algorithm;
  const void *buffer;
  struct Thing prepared; /* val is a copy, null before the preparation */
};
/* The algorithm of the last description that was prepared. */
int fakeGenericAlgorithm = -1;

int cusparseSpMV_createDescr(struct Parameters **out) {
  *out = malloc(sizeof **out);
  **out = (struct Parameters){-1, -1, NULL, {0}};
  return 0;
}
int cusparseSpMV_destroyDescr(struct Parameters *description) {
  if (description)
    free(description->prepared.val);
  return release(description);
}

int cusparseSpMVDescrSetParam(struct Parameters *description, int parameter, void *data,
                              size_t bytes) {
  void *const to[] = {&description->operation, &description->algorithm,
                      (void *)&description->buffer};
  const size_t sizes[] = {sizeof(int), sizeof(int), sizeof(void *)};
  if (parameter < 0 || parameter > 2 || bytes != sizes[parameter])
    return 3;
  memcpy(to[parameter], data, bytes);
  return parameter == 1 && description->algorithm != 0 && description->algorithm != 2 ? 3 : 0;
}

int cusparseSpMVGeneric_bufferSize(void *handle, const void *alpha, const struct Thing *a,
                                   const struct Thing *x, const void *beta, const struct Thing *y,
                                   const struct Thing *z, int type,
                                   const struct Parameters *description, size_t *bytes) {
  (void)handle, (void)alpha, (void)a, (void)x, (void)beta, (void)y, (void)z, (void)type;
  *bytes = 16;
  return description->operation == 0 && description->algorithm >= 0 ? 0 : 3;
}

int cusparseSpMVGeneric_preprocess(void *handle, const void *alpha, const struct Thing *a,
                                   const struct Thing *x, const void *beta, const struct Thing *y,
                                   const struct Thing *z, int type,
                                   struct Parameters *description) {
  (void)handle, (void)alpha, (void)x, (void)beta, (void)y, (void)z, (void)type;
  if (!description->buffer || fakePrepareResult)
    return fakePrepareResult ? fakePrepareResult : 3;
  description->prepared = withValuesOf(a);
  fakeGenericAlgorithm = description->algorithm;
  return 0;
}

int cusparseSpMVGeneric(void *handle, const void *alpha, const struct Thing *a,
                        const struct Thing *x, const void *beta, const struct Thing *y,
                        const struct Thing *z, int type, const struct Parameters *description) {
  (void)a, (void)z;
  return description->prepared.val
             ? cusparseSpMV(handle, 0, alpha, &description->prepared, x, beta, y, type, 0, NULL)
             : 3;
}
/* NOLINTEND(readability-identifier-naming) */
#endif
