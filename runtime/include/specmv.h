/* The simple C API of specmv: y = alpha A x + beta y, by a kernel generated for the matrix A. */
/* clang-format off */
/* The simple way is enough for most programs (README shows a complete program):
 *
 *   specmvMatrix_t A;
 *   specmvPlan_t plan;
 *   specmvCreateCsr(&A, rows, cols, nnz, rowPtr, col, val,
 *                   SPECMV_INDEX_32I, SPECMV_R_64F);
 *   specmvCreatePlan(&plan, A, NULL);              chooses a storage format, makes its kernel
 *   specmvExecute(plan, &alpha, x, &beta, y, stream);              as often as you like
 *   specmvDestroyPlan(plan);
 *   specmvDestroyMatrix(A);
 *
 * specmv_expert.h includes everything else: the options of a plan (where it runs, how it is chosen,
 * among which formats), matrices in other formats, several vectors at once, and facts about a plan.
 * A program includes only specmv.h, which includes specmv_expert.h at its end.
 *
 * Errors. A function that can fail returns a status. specmvGetLastErrorDetail() then returns a
 * sentence with the numbers at fault. The comment of each function lists its own errors; every
 * function that returns a status may also return OUT_OF_MEMORY and INTERNAL_ERROR. A function that
 * creates a handle sets it to NULL if it fails. A handle that was destroyed or has another type is
 * usually refused with INVALID_VALUE, but may also crash the program. The library prints nothing,
 * does not abort, throws no exceptions, and leaves errno unchanged.
 *
 * Streams. A function waits only for the plan's streams, unless its comment names others. No
 * function breaks the capture of a stream into a graph, whatever the capture mode.
 *
 * Threads. You may call functions from any thread, but two threads must not use a plan at the same
 * time. Several threads may create plans of one matrix and with one context at the same time, but
 * no thread may destroy the matrix or the context meanwhile. Two products of one plan must not run
 * at the same time either. Put them on one stream, synchronize the streams, or create the plan with
 * the option scratchPerStream. A thread that calls a function needs 256 KB of stack. If it is
 * cancelled (pthread_cancel()), the function runs to its end first. Handlers of signals stay those
 * of the program, and run in its own threads (specmv-environment(7)). */
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

/* --- Version -----------------------------------------------------------------------------------
 * This is the version of the header. specmvGetVersion() returns the version of the library. */
#define SPECMV_VERSION_MAJOR 0
#define SPECMV_VERSION_MINOR 1
#define SPECMV_VERSION_PATCH 0
#define SPECMV_VERSION                                                                             \
  (SPECMV_VERSION_MAJOR * 10000 + SPECMV_VERSION_MINOR * 100 + SPECMV_VERSION_PATCH)

/* --- Status and types --------------------------------------------------------------------------*/

typedef enum {
  SPECMV_STATUS_SUCCESS = 0,
  SPECMV_STATUS_INVALID_VALUE = 1,   /* an argument is not valid */
  SPECMV_STATUS_INVALID_MATRIX = 2,  /* the arrays do not form a matrix */
  SPECMV_STATUS_NOT_APPLICABLE = 3,  /* none of the allowed formats can store this matrix */
  SPECMV_STATUS_MISSING = 4,         /* something else is missing, such as cuSPARSE */
  SPECMV_STATUS_OUT_OF_MEMORY = 5,   /* an allocation in host memory failed */
  SPECMV_STATUS_INTERNAL_ERROR = 6,  /* a bug in specmv; please report its detail */
  SPECMV_STATUS_NO_GPU = 7,          /* there is no usable GPU, or none with this number */
  SPECMV_STATUS_GPU_MEMORY_FULL = 8, /* the GPU has too little free memory */
  SPECMV_STATUS_OVER_MAX_BYTES = 9,  /* every plan needs more memory than maxBytes */
  SPECMV_STATUS_NO_NVRTC = 10,       /* NVRTC is not found or cannot be used */
  SPECMV_STATUS_NOT_IN_PACKS = 11    /* onlyPacks is set, and no pack has the kernel */
} specmvStatus_t;

/* The type of rowPtr and col: int32_t or int64_t. */
typedef enum { SPECMV_INDEX_32I = 0, SPECMV_INDEX_64I = 1 } specmvIndexType_t;
/* The type of val, x, y, alpha and beta: float or double. Every function that takes a type refuses
 * complex types with INVALID_VALUE. Instead, multiply the real matrix [Re -Im; Im Re], which has
 * twice as many rows and columns, by [re; im]. If the real and imaginary parts of x and y are
 * interleaved, this matrix is BSR with blocks of 2 x 2. */
typedef enum {
  SPECMV_R_32F = 0,
  SPECMV_R_64F = 1,
  SPECMV_C_32F = 4, /* complex, refused */
  SPECMV_C_64F = 5  /* complex, refused */
} specmvDataType_t;

typedef struct specmvMatrix *specmvMatrix_t;
typedef struct specmvPlan *specmvPlan_t;
typedef struct specmvPlanOptions specmvPlanOptions_t; /* its fields are in specmv_options.h */

/* --- Matrices ----------------------------------------------------------------------------------
 * Describes a matrix of rows x cols with nnz entries in CSR. Nothing is copied or computed.
 * rowPtr: rows + 1 elements, which start at 0, never decrease and end at nnz.
 * col: nnz columns, counted from 0. The columns of a row may come in any order and may repeat;
 * repeated entries add up. It may be NULL if nnz is 0.
 * val: nnz values. It may be NULL if nnz is 0.
 * All arrays are on the host, or all are on one GPU. They must stay valid until the last
 * specmvCreatePlan() with this matrix has returned; with SPECMV_START_NOW or the option `improves`,
 * until specmvPlanReady() sets *ready to 1. A plan keeps its own copy of what it needs, except with
 * the option csrOutlivesPlan. Errors: INVALID_VALUE: a null pointer, an array that is not aligned
 * to its type, a negative size, a size above 2^48, an unknown type. specmvCreatePlan() checks the
 * contents of the arrays. */
SPECMV_API specmvStatus_t specmvCreateCsr(specmvMatrix_t *matrix, int64_t rows, int64_t cols,
                                          int64_t nnz, const void *rowPtr, const void *col,
                                          const void *val, specmvIndexType_t indexType,
                                          specmvDataType_t dataType);
/* Destroys the description of a matrix. Plans made from it stay valid. NULL is accepted. Errors:
 * INVALID_VALUE: the handle is not a matrix. */
SPECMV_API specmvStatus_t specmvDestroyMatrix(specmvMatrix_t matrix);

/* --- Plans -------------------------------------------------------------------------------------
 * Creates a plan: checks the matrix, chooses a storage format, stores the matrix in this format on
 * the GPU or the host, and compiles the kernel or loads it from a pack or the cache on disk.
 * options may be NULL.
 * On a GPU, the function works on its own streams and waits for them. It reads arrays on the GPU
 * after the work that is already on the default stream. Work on other streams that writes these
 * arrays must have ended. If the function loads kernels, the driver waits for all work on the GPU.
 * On the host, products use plain CSR. specmv still chooses the plan that a GPU would run, but
 * looks for NVRTC and compiles the plan's kernel only with the option compileOnHost.
 * The library computes and writes numbers in the default floating-point environment, and leaves the
 * caller's as it was.
 * Errors: INVALID_VALUE: a null pointer, a structSize of no version, an unknown target, rigor,
 * format, start, operation or value of `kernels`, a negative number, a wrong structureOf or
 * context. INVALID_MATRIX: offsets that do not begin with the index base, decrease or do not end at
 * nnz, or a row or column out of range; the detail says where. NOT_APPLICABLE: none of the allowed
 * formats can store the matrix; the detail gives the reason for each. NO_GPU: the options ask for a
 * GPU (by target, device, rigor or a format of cuSPARSE) and there is none. GPU_MEMORY_FULL: the
 * memory of the GPU is full. OVER_MAX_BYTES: no plan fits into maxBytes. NO_NVRTC: NVRTC is not
 * found. NOT_IN_PACKS: onlyPacks is set and no pack has a kernel for the matrix. MISSING: the host
 * has too little memory for a conversion or for packing, cuSPARSE is not found, or the GPU cannot
 * be used after a fork or after the error of an earlier kernel. The detail says what to do.
 */
SPECMV_API specmvStatus_t specmvCreatePlan(specmvPlan_t *plan, specmvMatrix_t matrix,
                                           const specmvPlanOptions_t *options);
/* Destroys a plan. Waits for the products and updates of this plan that still run, on any stream,
 * and for no other work. CUDA graphs with its products must have ended, because the library does
 * not see their launches. It cancels a set-up in the background (SPECMV_START_NOW). NULL is
 * accepted.
 * To free memory, it waits for all work on the GPU in two cases: the driver cannot map memory and
 * the context has no allocator; or the plan holds page-locked memory, because its format computes
 * partly on the host. Errors: INVALID_VALUE: the handle is not a plan, or fused steps of the plan
 * still exist; destroy these first. */
SPECMV_API specmvStatus_t specmvDestroyPlan(specmvPlan_t plan);

/* --- Products ----------------------------------------------------------------------------------
 * Computes y = alpha A x + beta y. alpha and beta each point to one value on the host, or on the
 * GPU with the option scalarsOnGpu. x points to cols values and y to rows values. All have the type
 * of the matrix, or double with the option doubleVectors. If beta is 0, y is not read and may be
 * uninitialized. x is read even if alpha is 0, so a NaN in x propagates to y. x and y must not
 * overlap and must be aligned to their type, and so must alpha and beta on the GPU; x or y may be
 * NULL if it has no elements.
 * A plan on the GPU launches the product on the stream (a CUstream or cudaStream_t; NULL is the
 * default stream) and returns without waiting. x and y must stay valid until the product has run.
 * They should be in device memory. If x or y is in host memory, it is copied on that stream, which
 * takes more time than the product, and a y in host memory is ready on return.
 * A plan on the host takes x and y in host memory and a NULL stream; y is ready on return. It adds
 * the entries of a row in groups, like kernels do. Its bits do not depend on the number of threads,
 * and, as on a GPU, neither on the rounding that the program has set.
 * Errors: INVALID_VALUE: a null pointer, a misaligned one, x and y overlap, beta is not 0 although
 * betaIsZero promised it, a vector on another GPU than the plan's (not checked with vectorsOnGpu);
 * for a plan on the host also a stream that is not NULL, or a vector on a GPU. GPU_MEMORY_FULL: the
 * GPU has no memory for the copies of vectors in host memory. */
SPECMV_API specmvStatus_t specmvExecute(specmvPlan_t plan, const void *alpha, const void *x,
                                        const void *beta, void *y, void *stream);

/* --- New values --------------------------------------------------------------------------------
 * Replaces the values of the plan's matrix; its structure does not change. Products launched later
 * on this stream use the new values. Products on other streams must not run at the same time.
 * val: nnz values of the matrix's type, in the order of the arrays that describe the matrix, also
 * for a transpose. It may be NULL if nnz is 0.
 * A plan on the GPU takes values in device memory without waiting, and val must stay valid until
 * the stream has used it. Values in host memory are copied to a device buffer of the plan, and you
 * may reuse val on return. For some plans the host packs the values; the function then takes as
 * long as many products and returns when the values are stored. This happens if the matrix has
 * repeated entries and the format adds them up, if no kernel for the update can be found or
 * compiled, and for one format of cuSPARSE. For some other formats of cuSPARSE the function waits
 * for the stream. specmv-options(7) names these formats.
 * A plan on the host takes values in host memory and a NULL stream, and copies them.
 * For a plan that stores values in fewer bytes (such as values=ones in its text), the function
 * waits for the stream and checks the new values. If they do not fit, the plan changes to plain
 * values, whose kernels are compiled if no pack has them. See "Values in fewer bytes" in
 * specmv_options.h.
 * Errors: INVALID_VALUE: a null pointer; values that are not aligned to their type; a plan without
 * the option updatable, unless the matrix
 * needed no conversion, the plan's format keeps the values in the order of CSR, the plan does not
 * read the arrays in place (csrOutlivesPlan), and it was not compared with other plans
 * (SPECMV_RIGOR_ONLINE); this holds on a GPU and on the host. Also a plan
 * whose set-up was cancelled or failed; for a plan on the host also a stream that is not NULL, or
 * values on a GPU. GPU_MEMORY_FULL: the GPU has no memory for a copy of the values. After an error
 * the plan keeps its previous values, or products are refused (INVALID_VALUE) until an update
 * succeeds. */
SPECMV_API specmvStatus_t specmvUpdateValues(specmvPlan_t plan, const void *val, void *stream);

/* --- Version and errors ------------------------------------------------------------------------*/

/* Returns major * 10000 + minor * 100 + patch. */
SPECMV_API int specmvGetVersion(void);
/* Returns the name, such as "SPECMV_STATUS_MISSING", or "unknown status" for any other number. */
SPECMV_API const char *specmvStatusName(specmvStatus_t status);
/* Returns a sentence that says what the status means in general. */
SPECMV_API const char *specmvStatusString(specmvStatus_t status);
/* Returns a sentence, with the numbers at fault, about the last call of this thread that failed, or
 * "" if none has failed. A call that succeeds does not change it. The text is valid until the next
 * call of this thread. */
SPECMV_API const char *specmvGetLastErrorDetail(void);

#ifdef __cplusplus
}
#endif

#include "specmv_expert.h"

#endif
