/* The C API of specmv: y = alpha A x + beta y with a kernel made for the sparsity of A. */
/* clang-format off */
/* The story of a program:
 *
 *   specmvMatrix_t A;
 *   specmvPlan_t plan;
 *   specmvCreateCsr(&A, rows, cols, nnz, rowPtr, col, val,
 *                   SPECMV_INDEX_32I, SPECMV_R_64F);
 *   specmvCreatePlan(&plan, A, NULL);    looks, predicts, compiles or finds in the cache
 *   specmvExecute(plan, &alpha, x, &beta, y, stream);    as often as you like
 *   specmvDestroyPlan(plan);
 *   specmvDestroyMatrix(A);
 *
 * Every function returns a status; specmvGetLastErrorDetail() has the sentence with the numbers.
 * Nothing prints, aborts or throws. Functions may be called from any thread; one handle must not be
 * used by two threads at once, and one plan runs one product at a time.
 */
/* clang-format on */
#ifndef SPECMV_H
#define SPECMV_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define SPECMV_API
#else
#define SPECMV_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  SPECMV_STATUS_SUCCESS = 0,
  SPECMV_STATUS_INVALID_VALUE = 1,  /* an argument makes no sense */
  SPECMV_STATUS_INVALID_MATRIX = 2, /* the CSR arrays are no matrix */
  SPECMV_STATUS_NOT_APPLICABLE = 3, /* no format asked for fits this matrix */
  SPECMV_STATUS_MISSING = 4,        /* the machine lacks it: GPU, NVRTC, device memory */
  SPECMV_STATUS_OUT_OF_MEMORY = 5,  /* host memory ran out */
  SPECMV_STATUS_INTERNAL_ERROR = 6  /* a bug of specmv; please report its detail */
} specmvStatus_t;

typedef enum { SPECMV_INDEX_32I = 0, SPECMV_INDEX_64I = 1 } specmvIndexType_t;
typedef enum { SPECMV_R_32F = 0, SPECMV_R_64F = 1 } specmvDataType_t;

typedef enum {
  SPECMV_TARGET_AUTO = 0, /* the GPU; the host only where there is no GPU at all */
  SPECMV_TARGET_GPU = 1,
  SPECMV_TARGET_HOST = 2 /* plain CSR on all cores; the kernel goes to the cache all the same */
} specmvTarget_t;

typedef enum {
  SPECMV_RIGOR_ESTIMATE = 0,  /* trust the prediction */
  SPECMV_RIGOR_MEASURE = 1,   /* time the best predicted plans */
  SPECMV_RIGOR_EXHAUSTIVE = 2 /* time all plans */
} specmvRigor_t;

typedef struct specmvMatrix *specmvMatrix_t;
typedef struct specmvPlan *specmvPlan_t;

/* Set all of it to 0 and structSize to sizeof(specmvPlanOptions_t): fields that later versions add
 * then have their defaults. */
typedef struct {
  size_t structSize;
  specmvTarget_t target;
  specmvRigor_t rigor;
  int device;          /* ordinal of the GPU */
  int betaIsZero;      /* non-zero promises that beta is 0 in every product */
  const char *formats; /* "ell,hyb": only these; NULL: all with the same bits in every run */
} specmvPlanOptions_t;

/* --- Matrices ------------------------------------------------------------------------------------
 * A matrix handle refers to the caller's arrays, which must stay until the last specmvCreatePlan()
 * with it returned; plans keep their own. The arrays are on the host or all on one GPU. rowPtr has
 * rows + 1 elements and starts at 0, col and val have nnz. Columns of a row may come in any order
 * and may repeat: repeated entries add up.
 * INVALID_VALUE: a null pointer, a negative size or an unknown type. */
SPECMV_API specmvStatus_t specmvCreateCsr(specmvMatrix_t *matrix, int64_t rows, int64_t cols,
                                          int64_t nnz, const void *rowPtr, const void *col,
                                          const void *val, specmvIndexType_t indexType,
                                          specmvDataType_t dataType);
/* NULL is accepted. */
SPECMV_API specmvStatus_t specmvDestroyMatrix(specmvMatrix_t matrix);

/* --- Plans ---------------------------------------------------------------------------------------
 * options may be NULL. INVALID_MATRIX: rowPtr descends, a column is out of range (the detail says
 * where). MISSING: a GPU was asked for and there is none, or its memory is full. NOT_APPLICABLE:
 * none of the formats fits, with each one's reason. */
SPECMV_API specmvStatus_t specmvCreatePlan(specmvPlan_t *plan, specmvMatrix_t matrix,
                                           const specmvPlanOptions_t *options);
/* NULL is accepted. Waits for all streams of the plan's GPU, so also for products that still run.
 */
SPECMV_API specmvStatus_t specmvDestroyPlan(specmvPlan_t plan);

/* y = alpha A x + beta y. alpha and beta point to host values of the matrix's type. x has cols and
 * y rows values.
 * A plan on the GPU puts the product on the stream (a CUstream or cudaStream_t; NULL is the default
 * stream). x and y belong in device memory; each may lie on the host all the same, and is then
 * copied on that stream, which costs more than the product: a y on the host is ready on return.
 * A plan on the host takes vectors on the host and no stream, and y is ready on return.
 * beta = 0 never reads y.
 * INVALID_VALUE: a null pointer, x and y overlap, beta is not 0 though betaIsZero was promised.
 * MISSING: no room on the GPU for the copies. */
SPECMV_API specmvStatus_t specmvExecute(specmvPlan_t plan, const void *alpha, const void *x,
                                        const void *beta, void *y, void *stream);

/* What was chosen: "ell ell.width=27 block=256 ...". The text lives as long as the plan. */
SPECMV_API specmvStatus_t specmvGetPlanText(specmvPlan_t plan, const char **text);
/* Where products run: SPECMV_TARGET_GPU or SPECMV_TARGET_HOST. */
SPECMV_API specmvStatus_t specmvGetPlanTarget(specmvPlan_t plan, specmvTarget_t *target);
/* Milliseconds that specmvCreatePlan took, and bytes that the plan holds where its products run. */
SPECMV_API specmvStatus_t specmvGetPlanSetup(specmvPlan_t plan, double *milliseconds,
                                             int64_t *bytes);

/* --- Version and errors --------------------------------------------------------------------------
 * major * 10000 + minor * 100 + patch. */
SPECMV_API int specmvGetVersion(void);
/* "SPECMV_STATUS_INVALID_VALUE"; "unknown status" for a number that is none. */
SPECMV_API const char *specmvStatusName(specmvStatus_t status);
/* One sentence on what the status means in general. */
SPECMV_API const char *specmvStatusString(specmvStatus_t status);
/* What went wrong in the last call of this thread that failed, with the numbers; "" if none did.
 * Valid until this thread's next call. */
SPECMV_API const char *specmvGetLastErrorDetail(void);

#ifdef __cplusplus
}
#endif

#endif
