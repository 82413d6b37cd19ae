/* The C API of specmv: y = alpha A x + beta y with a kernel made for the sparsity of A. */
/* clang-format off */
/* The simple way, which is enough for most programs (README has it as a complete program):
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
 * The expert finds more in specmvPlanOptions_t (where to run, how to choose, among which formats)
 * and in the functions that tell about a plan.
 *
 * Errors. Functions that can fail return a status. specmvGetLastErrorDetail() then has a sentence
 * with the numbers at fault. Each function lists the errors of its own; OUT_OF_MEMORY and
 * INTERNAL_ERROR are possible wherever a status is returned. A function that fails sets the handle
 * that it should make to NULL. A handle that was destroyed, or is of another kind, is usually
 * found to be so and INVALID_VALUE, but to use it may crash. Nothing is printed, nothing aborts,
 * no exception leaves a function, and errno stays as it was.
 *
 * Streams. Nothing waits for streams that are not the plan's, but where a function says so, and
 * nothing breaks the capture of a stream into a graph, whatever its mode; in a thread that captures
 * in a mode other than the relaxed one, too.
 *
 * Threads. Functions may be called from any thread, but a plan must not be used by two threads at
 * the same time. Several threads may make plans of one matrix and with one context at the same
 * time, but none may destroy it meanwhile. Products of one plan must not run at the same time
 * either: put them on one stream, or synchronize the streams; or make the plan with the option
 * scratchPerStream.
 *
 * Processes. A child of fork() may make plans and multiply on the host, also with plans on the host
 * that it has from its parent; a set-up beside products that runs in the parent fails there with
 * MISSING, and so does NVRTC if another thread compiled at that moment. CUDA does not work in such a
 * child: calls for a GPU are MISSING. End it by _exit() or exec(), not by exit(): that runs handlers
 * of NVIDIA's libraries, which may wait for good for a thread that only the parent has.
 * Plans of a GPU that the program has reset (cudaDeviceReset()) are INVALID_VALUE and can only be
 * destroyed. After a kernel of the program has failed, products and new plans on the GPU are MISSING.
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

/* --- Version ------------------------------------------------------------------------------------
 * Of this header; specmvGetVersion() tells that of the library that runs. */
#define SPECMV_VERSION_MAJOR 0
#define SPECMV_VERSION_MINOR 1
#define SPECMV_VERSION_PATCH 0
#define SPECMV_VERSION                                                                             \
  (SPECMV_VERSION_MAJOR * 10000 + SPECMV_VERSION_MINOR * 100 + SPECMV_VERSION_PATCH)

/* --- Status and types -------------------------------------------------------------------------*/

typedef enum {
  SPECMV_STATUS_SUCCESS = 0,
  SPECMV_STATUS_INVALID_VALUE = 1,  /* an argument is not valid */
  SPECMV_STATUS_INVALID_MATRIX = 2, /* the CSR arrays do not form a matrix */
  SPECMV_STATUS_NOT_APPLICABLE = 3, /* none of the formats asked for can store this matrix */
  SPECMV_STATUS_MISSING = 4,        /* the machine lacks it: GPU, NVRTC, a pack, memory */
  SPECMV_STATUS_OUT_OF_MEMORY = 5,  /* host memory ran out */
  SPECMV_STATUS_INTERNAL_ERROR = 6  /* a bug of specmv; please report its detail */
} specmvStatus_t;

/* Of rowPtr and col: int32_t or int64_t. */
typedef enum { SPECMV_INDEX_32I = 0, SPECMV_INDEX_64I = 1 } specmvIndexType_t;
/* Of val, x, y, alpha and beta: float or double. Complex numbers are refused wherever a type is
 * given, with INVALID_VALUE: multiply [Re -Im; Im Re] by [re; im], a real matrix of twice the size;
 * with re and im of each number side by side it is BSR with blocks of 2 x 2. */
typedef enum {
  SPECMV_R_32F = 0,
  SPECMV_R_64F = 1,
  SPECMV_C_32F = 4, /* refused, as said above */
  SPECMV_C_64F = 5
} specmvDataType_t;

typedef struct specmvContext *specmvContext_t;
typedef struct specmvMatrix *specmvMatrix_t;
typedef struct specmvPlan *specmvPlan_t;

/* --- Matrices -----------------------------------------------------------------------------------
 * Describes a matrix of rows x cols with nnz entries in CSR; nothing is copied or computed.
 * rowPtr: rows + 1 elements; starts at 0, never decreases, ends at nnz.
 * col: nnz columns, counted from 0. In a row they may have any order and may repeat; repeated
 * entries add up. May be NULL if nnz is 0.
 * val: nnz values. May be NULL if nnz is 0.
 * All arrays are on the host, or all are on one GPU. They must stay until the last
 * specmvCreatePlan() with this matrix has returned, with SPECMV_START_NOW until specmvPlanReady()
 * says so; plans keep copies of their own, unless they need not (csrOutlivesPlan).
 * Errors: INVALID_VALUE: a null pointer, a negative size, a size beyond 2^48, an unknown type. What
 * the arrays hold is checked by specmvCreatePlan(). */
SPECMV_API specmvStatus_t specmvCreateCsr(specmvMatrix_t *matrix, int64_t rows, int64_t cols,
                                          int64_t nnz, const void *rowPtr, const void *col,
                                          const void *val, specmvIndexType_t indexType,
                                          specmvDataType_t dataType);
/* Plans made from the matrix stay valid. NULL is accepted. Errors: INVALID_VALUE: not a matrix. */
SPECMV_API specmvStatus_t specmvDestroyMatrix(specmvMatrix_t matrix);

typedef enum {
  SPECMV_FORMAT_CSR = 0, /* offsets of rows, colIndices */
  SPECMV_FORMAT_CSC = 1, /* offsets of columns, rowIndices */
  SPECMV_FORMAT_COO = 2, /* rowIndices and colIndices, in any order */
  SPECMV_FORMAT_BSR = 3  /* offsets of block rows, colIndices of blocks */
} specmvFormat_t;

/* For experts: a matrix as your program has it. Begin with
 *   specmvMatrixDescription_t description = SPECMV_MATRIX_DESCRIPTION_INIT;
 * CSR with indexBase 0, and offsetType equal to indexType, is used as it is. Everything else, and
 * each transpose, is converted to that on the host when a plan is made, which takes 4 to 17 ns for
 * an entry on two cores. Its arrays are checked then, also with SPECMV_START_NOW; plans keep
 * nothing of them, and specmvUpdateValues() takes the values in the order of this description. A
 * structure that is all 0 describes values in float. */
typedef struct {
  size_t structSize;
  specmvFormat_t format;
  specmvDataType_t dataType;
  int64_t rows, cols, nnz;      /* of the matrix in elements; nnz is the number of values stored */
  specmvIndexType_t offsetType; /* of offsets */
  specmvIndexType_t indexType;  /* of rowIndices and colIndices */
  int indexBase;                /* 0 or 1: from what offsets and indices count */
  int blockRows, blockCols;     /* BSR: the size of a block; rows and cols are multiples of it */
  int blocksByColumn;           /* BSR, not 0: the values of a block lie column by column */
  const void *offsets;          /* rows + 1, cols + 1 or rows / blockRows + 1 elements; COO: NULL */
  const void *rowIndices;       /* nnz rows; CSR, BSR: NULL */
  const void *colIndices;       /* nnz columns; BSR: those of blocks; CSC: NULL */
  const void *values;           /* nnz values; NULL: only the structure is known. Plans are then
                                   made as with `updatable`, and products are refused until
                                   specmvUpdateValues(), unless nnz is 0 */
} specmvMatrixDescription_t;

#define SPECMV_MATRIX_DESCRIPTION_INIT                                                             \
  {                                                                                                \
    sizeof(specmvMatrixDescription_t), SPECMV_FORMAT_CSR, SPECMV_R_64F, 0, 0, 0, SPECMV_INDEX_32I, \
        SPECMV_INDEX_32I, 0, 0, 0, 0, NULL, NULL, NULL, NULL                                       \
  }

/* As specmvCreateCsr(): nothing is copied or computed, and the arrays must stay as long. Errors:
 * INVALID_VALUE: also an unknown format, another base, a size of blocks that does not divide rows,
 * cols and nnz, an array that the format has no use for. */
SPECMV_API specmvStatus_t specmvCreateMatrix(specmvMatrix_t *matrix,
                                             const specmvMatrixDescription_t *description);

/* --- Packs --------------------------------------------------------------------------------------
 * A pack is a file of kernels that were made beforehand by `specmv pregen`. A plan whose kernel is
 * in a pack needs no compiler, and so no NVRTC on the machine. Plans look into the packs that were
 * added here, those that SPECMV_CACHE_PATH names, and standard.pack beside the library.
 * specmvAddPack() adds one for all plans that this process makes from now on; to add it again
 * changes nothing. Several threads may call it at the same time. Where the kernel of the best plan
 * can be neither found nor compiled, the best plan is taken whose kernel is found.
 * Errors: INVALID_VALUE: a null pointer, or a file that is not a pack of this version, or that is
 * not trusted: it must belong to this user or root, and nobody else may write to it. MISSING: the
 * file cannot be opened. Damage within the file is met later: that kernel is then compiled. */
SPECMV_API specmvStatus_t specmvAddPack(const char *path);

/* --- Contexts -----------------------------------------------------------------------------------
 * For experts: settings that plans share (specmvPlanOptions_t::context). Two libraries in one
 * process have one each and do not change each other's. A plan without one does as the environment
 * says, and tells nobody what happens but by statuses. */

typedef enum {
  SPECMV_LOG_ERROR = 1,   /* a set-up beside products failed */
  SPECMV_LOG_WARNING = 2, /* it works, but not as it could: the sentence says what to mend */
  SPECMV_LOG_INFO = 3,    /* what was chosen, and what the set-up took */
  SPECMV_LOG_DEBUG = 4    /* where kernels came from */
} specmvLogLevel_t;
/* A sentence in English without a line break at its end, valid during the call. It is called by the
 * thread that makes the plan, or by that of a set-up beside products, or by one that writes the
 * cache behind the plan, but not while the process ends; never by two at a time. It
 * must not wait for a plan, nor for a thread that destroys a plan or the context; calls that use
 * the same context are refused there. An exception that leaves it is ignored. A call that fails is
 * not told: its status says so. */
typedef void (*specmvLogCallback_t)(void *user, specmvLogLevel_t level, const char *sentence);

/* An allocator of device memory, such as one that the rest of your program uses. All memory on the
 * device that plans of the context allocate comes from it: packed arrays, working memory, copies of
 * the matrix and of vectors and values on the host, the workspaces of set-ups and those that
 * cuSPARSE asks for. What does not: page-locked memory of the host (a few pieces of 4 MiB for
 * uploads, once for a GPU; what plans of hcghyb share with the host), code, and what the driver and
 * NVIDIA's libraries allocate by themselves.
 * allocate() returns `bytes` bytes at a multiple of 256, for work that is put on `stream` later (a
 * CUstream or cudaStream_t), or NULL if there are none: the call then fails with MISSING, or does
 * with less, and keeps nothing. Another address is given back and refused with INVALID_VALUE.
 * deallocate() gets it back, with the same `bytes`, when work that was put on its `stream` before
 * may still use it, but nothing else. `stream` is one of yours, the default stream (NULL), or one
 * of specmv's own, which may end before the memory is given back; memory for several streams is
 * allocated and given back on one of these, with no work on it.
 * Both are called with the GPU's primary context current, by the thread that calls specmv or by
 * that of a set-up beside products, and so by several threads at a time if several make or use
 * plans. They must not call specmv, throw, or wait for a thread that does. They must work until the
 * last plan of the context is destroyed, which may be after the context. */
typedef void *(*specmvAllocate_t)(void *user, size_t bytes, void *stream);
typedef void (*specmvDeallocate_t)(void *user, void *pointer, size_t bytes, void *stream);

typedef struct {
  size_t structSize;
  specmvLogCallback_t log;   /* NULL: none */
  void *logUser;             /* its first argument */
  specmvLogLevel_t logLevel; /* the least important messages that it gets; 0: warnings */
  int threads; /* of the host that work for a call, the caller's included; 0, or more than there
                  are: as many as there are cores */
  const char *cacheDirectory; /* where compiled kernels are kept, in place of SPECMV_CACHE_DIR and
                                 its defaults; "": nowhere; NULL: as the environment says. Made
                                   with its parents if it is not there */
  const char *packs; /* packs and read-only cache directories, divided by colons, in place of
                        SPECMV_CACHE_PATH; NULL: as the environment says */
  specmvAllocate_t allocate; /* where device memory comes from; NULL, and so the next: a pool of
                                specmv's own */
  specmvDeallocate_t deallocate;
  void *allocatorUser;  /* the first argument of both */
  const char *gpuModel; /* what predicts, in place of SPECMV_GPU_MODEL and of models in the cache
                           folder: a file that `specmv calibrate` wrote (its name ends in .json),
                           or the name of a built-in model, such as "h200"; "": the built-in one
                           of the GPU; NULL: as the environment says. It is read once, when the
                           context is made */
} specmvContextOptions_t;

#define SPECMV_CONTEXT_OPTIONS_INIT                                                                \
  {                                                                                                \
    sizeof(specmvContextOptions_t), NULL, NULL, SPECMV_LOG_WARNING, 0, NULL, NULL, NULL, NULL,     \
        NULL, NULL                                                                                 \
  }

/* Copies what the options point to. options may be NULL. Errors: INVALID_VALUE: a null pointer, a
 * structSize of no version, an unknown level, a negative number of threads, one of allocate and
 * deallocate without the other, a gpuModel that is no built-in one's name and no file with a model.
 */
SPECMV_API specmvStatus_t specmvCreateContext(specmvContext_t *context,
                                              const specmvContextOptions_t *options);
/* Plans that were made with it stay valid and keep its settings; its callback is not called any
 * more. NULL is accepted. Errors: INVALID_VALUE: not a context. */
SPECMV_API specmvStatus_t specmvDestroyContext(specmvContext_t context);

/* --- Plans ------------------------------------------------------------------------------------*/

typedef enum {
  SPECMV_TARGET_AUTO = 0, /* the GPU; the host only if the machine has no GPU */
  SPECMV_TARGET_GPU = 1,
  SPECMV_TARGET_HOST = 2 /* plain CSR on all cores */
} specmvTarget_t;

typedef enum {
  SPECMV_RIGOR_ESTIMATE = 0,   /* take the plan with the least predicted time, or one that is at
                                  hand and takes at most twice as long (see "Kernels"); runs
                                  nothing */
  SPECMV_RIGOR_MEASURE = 1,    /* time the plans with the best predictions, take the fastest */
  SPECMV_RIGOR_EXHAUSTIVE = 2, /* time all plans, take the fastest */
  SPECMV_RIGOR_TRIAL = 3 /* an estimate; on a GPU up to three plans within 10 percent of it are
                            timed, each if what it may gain in expectedProducts can exceed its
                            set-up and its timing, and the fastest is taken. Recommended with
                            expectedProducts; without it very many products are meant */
} specmvRigor_t;

typedef enum {
  SPECMV_START_WAIT = 0, /* when the plan is made: all products give the same bits */
  SPECMV_START_NOW = 1 /* when the first product can be launched; see "Products before the plan" */
} specmvStart_t;

typedef enum {
  SPECMV_KERNELS_BOTH = 0, /* a kernel that is made for the plan; while it would have to be compiled
                              first, a general one for its format, or another plan that takes at
                              most twice as long, if that is at hand (in a pack, the cache or
                              memory). See "Kernels" */
  SPECMV_KERNELS_SPECIALIZED = 1, /* that kernel alone; creation waits for its compilation */
  SPECMV_KERNELS_GENERAL = 2 /* the general one, of formats that have such; nothing replaces it */
} specmvKernels_t;

typedef enum {
  SPECMV_OPERATION_NON_TRANSPOSE = 0, /* A: x has cols values, y has rows values */
  SPECMV_OPERATION_TRANSPOSE = 1      /* its transpose: x has rows values, y has cols values */
} specmvOperation_t;

/* For experts. Begin with
 *   specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
 * and set the fields that you want. 0 is the default of each, also of fields that later versions
 * add: to set the whole structure to 0 and structSize to its size is the same. */
typedef struct {
  size_t structSize;
  specmvTarget_t target;
  specmvRigor_t rigor;
  int device;          /* number of the GPU, from 0 */
  int betaIsZero;      /* not 0: a promise that beta is 0 in every product, which saves time */
  const char *formats; /* names divided by commas, "ell,hyb": choose among these only; NULL: among
                          all formats that give the same bits in every run */
  int onlyPacks;       /* not 0: compile nothing; take kernels only from packs, and neither read nor
                          write your own cache on disk. A host that SPECMV_TARGET_AUTO fell back
                          to needs no kernel: what is lacking is a warning there */
  specmvPlan_t structureOf; /* a plan of a matrix with entries in the same places: the new plan
                               gets its format and parameters, without a look at the matrix and a
                               choice. If these do not fit, or `formats` leaves them out, it is
                               made as without this option. Needed only during the call */
  int updatable;            /* not 0: a plan on the GPU keeps 6 bytes for each entry, if its format
                               needs them, so that specmvUpdateValues() works with every format */
  specmvStart_t start;      /* when specmvCreatePlan() returns */
  int64_t expectedProducts; /* not 0: about so many products will be computed, and an estimate or
                               a trial (`rigor`) begins with the plan with the least time for its
                               set-up and all of them; for few products this may be CSR as it is,
                               without a look at the matrix but a check */
  int csrOutlivesPlan; /* not 0: a promise that the arrays of the matrix stay, with what they hold,
                          until the plan is destroyed. Where they are on the GPU, plans of
                          csr-scalar, csr-vector, csr-merge and cusparse-csr, -csr1 and -csr2 read
                          them there and copy nothing, unless 64-bit indices could have 32 bits.
                          With `updatable` plans have copies all the same, to store values in */
  int vectorsOnGpu; /* not 0: a promise that x and y of every product are in memory that the plan's
                       GPU can access. Products on the GPU then need not ask the driver where
                       they are, which saves time on the host */
  specmvContext_t context;     /* NULL: settings of the environment. Needed only during the call */
  specmvOperation_t operation; /* what is multiplied by x. The plan of a transpose is one of its
                                  own, as fast as that of any other matrix; the entries are sorted
                                  by columns on the host. Values are real, so a conjugate transpose
                                  is this one */
  int64_t maxBytes;     /* not 0: choose among plans that store at most so many bytes where products
                           run, as predicted. What is kept for `updatable` and for vectors on the host
                           comes to it, and while the plan is made, a copy of the matrix */
  int64_t vectors;      /* more than 1: about so many vectors will be multiplied at once, by
                           specmvExecuteMulti(): the format is chosen and kernels are made for that. Up
                           to 16 are multiplied in one pass over the matrix */
  int scratchPerStream; /* not 0: products of the plan may run on several streams at the same time,
                           and several threads may call specmvExecute() and specmvExecuteMulti() for
                           it at once; other functions not beside these. Each stream gets working
                           memory of its own where there is any: that of csr-merge, csr5, coo, hyb,
                           hcghyb and cuSPARSE's formats, rows of X, copies of vectors on the host.
                           It is made by the first such product on the stream, which allocates, and
                           is refused while the stream is captured. The plan keeps it, by the
                           stream's handle: a stream's products must be over before it is destroyed.
                           specmvUpdateValues() still needs the products of all streams to be over.
                           With SPECMV_START_NOW, specmvCreatePlan() waits for the plan */
  int scalarsOnGpu; /* not 0: alpha and beta of every product are in memory of the plan's GPU, which
                       kernels read when they run, so that a solver need not wait for them. A
                       plan on the host takes them on the host all the same. Formats of cuSPARSE
                       are not chosen then */
  int doubleVectors; /* not 0: x, y, alpha and beta are double also where the values of the matrix
                        are float. Products are computed in double, and the values of the matrix
                        take half of the bytes; entries that repeat may be added in float
                        before. Formats of cuSPARSE and hcghyb are not chosen then */
  int resultApart;   /* not 0: kernels are made for specmvExecuteInto() with another z than y, and
                        spare it the copy. specmvExecute() works as always */
  int compileOnHost; /* not 0: a plan on the host also compiles the kernel that a GPU would run, for
                        the cache, where programs on a machine with that GPU find it: an H200, or
                        that of the context's gpuModel. Where no cache is written (a context's
                        cacheDirectory "", or no folder for one), nothing is compiled */
  specmvKernels_t kernels; /* by which kernels products run on a GPU */
} specmvPlanOptions_t;

#define SPECMV_PLAN_OPTIONS_INIT                                                                   \
  {                                                                                                \
    sizeof(specmvPlanOptions_t), SPECMV_TARGET_AUTO, SPECMV_RIGOR_ESTIMATE, 0, 0, NULL, 0, NULL,   \
        0, SPECMV_START_WAIT, 0, 0, 0, NULL, SPECMV_OPERATION_NON_TRANSPOSE, 0, 0, 0, 0, 0, 0, 0,  \
        SPECMV_KERNELS_BOTH                                                                        \
  }

/* Makes a plan: checks the matrix, chooses a storage format, stores the matrix in it where the
 * products will run, and compiles the kernel or takes it from the cache on disk. options may be
 * NULL. On the host products use plain CSR; the plan that a GPU would run is chosen all the same,
 * but compiled only with compileOnHost, without which NVRTC is not looked for.
 * On a GPU it works on streams of its own and waits for these; arrays on the GPU are read behind
 * the work that the default stream has, that of other streams which fill them must be over. Where
 * it loads kernels that are not loaded, the driver waits for all work of the GPU. Errors:
 * INVALID_VALUE: a null pointer, a structSize of no version, an unknown target, rigor, format,
 * start or operation, a negative number, a wrong structureOf or context. INVALID_MATRIX: offsets
 * that do not begin with the index base, decrease or do not end at nnz, or a row or column out of
 * range; the detail tells where. NOT_APPLICABLE: no format that was asked for can store the matrix;
 * the detail has the reason of each. MISSING: a GPU was asked for, by target, device, rigor or a
 * format of cuSPARSE, and there is none; its memory is full, or the host has too little for a
 * conversion; no plan stores as little as maxBytes; NVRTC is not found; or onlyPacks was set and no
 * pack has a kernel for the matrix; the detail says what to do. */
SPECMV_API specmvStatus_t specmvCreatePlan(specmvPlan_t *plan, specmvMatrix_t matrix,
                                           const specmvPlanOptions_t *options);
/* What specmvCreatePlan() would make, as predicted, if no earlier choice is known: for a program
 * that must know before whether it has the memory, or whether it pays. */
typedef struct {
  size_t structSize;
  int64_t bytes;          /* that the plan stores where its products run */
  double productUs;       /* one product, in microseconds */
  double setupUs;         /* the set-up, if all of its kernels are loaded ... */
  double setupCompiledUs; /* ... and if all of them must be compiled first */
  char format[32];        /* the name of its format */
} specmvPlanEstimate_t;

#define SPECMV_PLAN_ESTIMATE_INIT                                                                  \
  { sizeof(specmvPlanEstimate_t), 0, 0, 0, 0, "" }

/* Looks at the matrix, and predicts; builds, stores and compiles nothing but the kernels that look.
 * options as for specmvCreatePlan(), of which rigor, start, updatable and structureOf do not count.
 * What it points to does not change if it fails.
 * On the host `bytes` is what CSR takes, which products use there; the rest is of the plan that a
 * GPU would run. Errors: as specmvCreatePlan()'s. */
SPECMV_API specmvStatus_t specmvEstimatePlan(specmvPlanEstimate_t *estimate, specmvMatrix_t matrix,
                                             const specmvPlanOptions_t *options);

/* Waits for products and updates of the plan that still run, on whatever stream, and for no other
 * work. Graphs with its products must be over: nothing is known of their launches. Where the driver
 * cannot map memory and the context has no allocator, to free memory waits for all work of the GPU;
 * so does page-locked memory, which plans of hcghyb have.
 * Cancels a set-up beside products. NULL is accepted. Errors: INVALID_VALUE: not a plan. */
SPECMV_API specmvStatus_t specmvDestroyPlan(specmvPlan_t plan);
/* The same without waiting for the GPU: products of the plan on this stream may still run, those on
 * other streams and graphs with products of it must be over. Its device memory is freed in order on
 * the stream, where later work can have it; its memory on the host at once. What has no order on a
 * stream (code, handles of cuSPARSE, page-locked memory of hcghyb) is kept until the stream has
 * come so far, and freed by the first call after that which makes or destroys a plan; the stream
 * may end before, but libspecmv must not be unloaded. Arrays that the plan reads where they lie
 * (csrOutlivesPlan, SPECMV_START_NOW) must stay until the stream has come so far. It waits for the
 * stream where the plan is one of cusparse-op, for all work of the GPU where the driver cannot map
 * memory and the context has no allocator, and for a set-up beside products, which it cancels.
 * For a plan on the host, stream is not looked at. NULL plans are accepted. Errors: INVALID_VALUE:
 * not a plan; the stream is captured into a graph. A plan is left as it was by a call that fails.
 */
SPECMV_API specmvStatus_t specmvDestroyPlanAsync(specmvPlan_t plan, void *stream);

/* --- Kernels ------------------------------------------------------------------------------------
 * A kernel that is made for a plan has what follows from the matrix as constants of its code (the
 * width of ELL and HYB, the diagonals of DIA), so that it must be compiled for it, which takes 50
 * to 300 ms. A general kernel has these as arguments, reads the same arrays and adds in the same
 * order: its products are equal to the bit, and take 0 to 3 percent longer (H200). The standard
 * pack has the general ones. Where only such a kernel is at hand, a plan that was estimated is
 * ready with it. If its own would gain 2 percent or more (DIA), that is compiled meanwhile on a
 * thread of low priority, stored in the cache, and takes over between two products of the plan.
 * Graphs go on with the kernels that they were captured with. To destroy the plan does not wait for
 * that thread; the end of the process waits for one compilation at most.
 * Other formats have no general kernels. If the best plan is one of these and its kernels are not
 * at hand, the best plan is taken that needs no compiler, if its products take at most twice as
 * long, as predicted. The kernels of the best one are compiled by that thread, for the next plan of
 * the matrix; specmvGetPlanJson() names it. A call of cuSPARSE is at hand once that is open; to
 * open it takes up to 0.2 s, and is left to that thread too. So plans of one matrix may differ, and
 * their last bits. Creation waits for a compilation where no such plan is at hand, where the plan
 * is measured or tried (`rigor`), and where several streams multiply at once (scratchPerStream).
 * With onlyPacks nothing is compiled. The kernels of the best plan are compiled only if the process
 * cannot end under it: the library is linked to the program, the main thread has had something
 * compiled, or something was compiled before. */

/* --- The GPU's state ----------------------------------------------------------------------------
 * What plans on a GPU share stays when the last of them is destroyed, so that the next one is made
 * as fast: up to 64 loaded modules of kernels, which take their code, a handle of cuSPARSE,
 * streams, 32 MiB of page-locked memory after the first large upload, and a pool with at most 64
 * MiB or 1/256 of the GPU's memory, whichever is more (while plans live, free memory stays in it up
 * to 256 MiB or 1/64). specmvReleaseDevice() frees all of this that no plan holds; if no plan is
 * left, nothing remains of specmv on the GPU, and its primary context is released. May be called at
 * any time; the next plan makes anew what it needs. A plan of specmvDestroyPlanAsync() holds what
 * it has until its stream has come so far. Waits for the GPU's work. Errors: INVALID_VALUE: a
 * negative number. MISSING: there is no such GPU. */
SPECMV_API specmvStatus_t specmvReleaseDevice(int device);

/* --- Products -----------------------------------------------------------------------------------
 * Computes y = alpha A x + beta y. alpha and beta point to one host value each (to one on the GPU
 * with scalarsOnGpu), x to cols values, y to rows values, all of the matrix's type (double with
 * doubleVectors). If beta is 0, y is not read and may be uninitialized. x and y must not overlap,
 * and be aligned as their type; each may be NULL if it has no elements. x is read also if alpha is
 * 0, so that a NaN in it reaches y. A plan on the GPU puts the product on the stream (a CUstream
 * or cudaStream_t; NULL is the default stream) and returns without waiting; x and y must stay
 * until it has run. They should be in device memory. Each of them may be on the host instead: it
 * is then copied on that stream, which costs more time than the product, and a y on the host is
 * ready on return. A plan on the host takes x and y on the host and a NULL stream; y is ready on
 * return. Errors: INVALID_VALUE: a null pointer, x and y overlap, beta is not 0 although
 * betaIsZero promised it, a vector on another GPU than the plan's (not found with vectorsOnGpu);
 * for a plan on the host also a stream, or a vector on a GPU. MISSING: the GPU has no memory for
 * the copies of vectors on the host. */
SPECMV_API specmvStatus_t specmvExecute(specmvPlan_t plan, const void *alpha, const void *x,
                                        const void *beta, void *y, void *stream);

/* Computes z = alpha A x + beta y, which leaves y as it is: a residual is -1 A x + 1 b. z has rows
 * values; it may be y, but not overlap it otherwise, nor x. x may be y. If beta is 0, y is not
 * looked at and may be NULL, unless beta is on the GPU. With the option resultApart kernels read y
 * and write z; otherwise, and for plans of cuSPARSE's formats and first products, y is copied to z
 * on the stream before. Everything else is as for specmvExecute(). Errors: as there, and
 * INVALID_VALUE: z overlaps y, but is not y, or overlaps x. */
SPECMV_API specmvStatus_t specmvExecuteInto(specmvPlan_t plan, const void *alpha, const void *x,
                                            const void *beta, const void *y, void *z, void *stream);

typedef enum {
  SPECMV_ORDER_ROW = 0,   /* value j of row i of X is X[i * ldX + j]: the faster one */
  SPECMV_ORDER_COLUMN = 1 /* it is X[i + j * ldX]: vectors lie one behind the other */
} specmvOrder_t;

/* Computes Y = alpha A X + beta Y for `count` vectors, the columns of X and Y. X has cols rows, Y
 * has rows rows. For a plan that was made with the option `vectors`, which says how many are usual;
 * count may be any number from 0 to 2^31 - 1. One pass over the matrix multiplies as many vectors
 * as the kernels were made for: 2, 4, 8 or 16, the least that are not less than `vectors`; the last
 * pass may have fewer. X is read where it lies if it is in row order, count is a multiple of these,
 * and X and ldX are aligned to 16 bytes or to the bytes of so many values, if these are less. Else
 * each pass copies it to memory that the plan then keeps, rows of so many values; before such
 * products are captured into a graph, put one on a stream. Everything else is as for
 * specmvExecute(), which may be used beside it. With SPECMV_START_NOW this waits for the plan.
 * Errors: INVALID_VALUE: also a plan without kernels for several vectors, a negative count, an
 * unknown order, ldX or ldY less than count, or in column order less than cols or rows. */
SPECMV_API specmvStatus_t specmvExecuteMulti(specmvPlan_t plan, int64_t count, const void *alpha,
                                             const void *X, int64_t ldX, const void *beta, void *Y,
                                             int64_t ldY, specmvOrder_t order, void *stream);

/* --- Products before the plan -------------------------------------------------------------------
 * With the option `start` = SPECMV_START_NOW, specmvCreatePlan() returns when products can be
 * launched. The first ones use the CSR arrays as they are: by csr-merge, if its kernels are loaded,
 * in a pack or in the cache, else by cuSPARSE's default algorithm; on the host by a copy of the
 * arrays. Without cuSPARSE it waits for the plan.
 * The plan is made meanwhile, on a thread and a stream of low priority; the other options hold for
 * it alone. If it measures (`rigor`), it does so beside the products, which makes it less exact.
 * The plan takes over between two products. It sums in another order, so the last bits of results
 * change then; those of cuSPARSE may also change from product to product.
 * The caller's arrays must stay, with what they hold, until specmvPlanReady() says 1. So new values
 * for specmvUpdateValues() must not be written over the first ones before: use another array, or
 * specmvPlanWait(). Only the ends
 * of rowPtr of a matrix on the host are checked at once. If the arrays form no matrix, the first
 * products may do anything, as those of cuSPARSE may, and specmvPlanWait() returns INVALID_MATRIX.
 * Products may be captured into a graph all the while. A graph of first products reads the caller's
 * arrays and must not be launched after specmvPlanWait() or specmvPlanWaitFor(), which free what
 * only these needed.
 * specmvUpdateValues() waits for the plan, and so does specmvCreatePlan() for that of structureOf.
 * A plan that was made with SPECMV_START_WAIT is ready; there is nothing to wait for or to cancel.
 * The process may end at any time, by the end of main or exit() on the main thread, whichever
 * thread made the plan. It then waits for the set-up's step, as a rule for a compilation of 0.1 to
 * 0.3 s at most. Arrays that are variables of main end before that, so destroy or cancel the plan
 * first. A thread that is inside specmvCreatePlan() on the host may go on, too; what it compiles is
 * waited for. No thread may be inside a call that uses a GPU then: exit() takes the driver down, as
 * it does under CUDA's own calls.
 * Two kinds of programs must end only while nothing is compiled, whatever the start of the plan:
 * one whose exit() is called by another thread than main's, and one that opened the library by
 * dlopen() and whose main thread has compiled nothing by it. There, NVRTC could be taken down under
 * a compilation, and the process would crash or hang. So wait for plans with SPECMV_START_NOW,
 * cancel or destroy them, and join threads that make plans. */

/* *ready gets 1 if neither products from now on nor the set-up read the caller's arrays, else 0.
 * With csrOutlivesPlan, products may go on reading them. Waits for nothing. Errors: INVALID_VALUE:
 * a null pointer; those of specmvCreatePlan(), if the set-up failed: the first products then stay,
 * and *ready is set as well. */
SPECMV_API specmvStatus_t specmvPlanReady(specmvPlan_t plan, int *ready);
/* Waits until the plan is made and for its products that run, and frees what only the first
 * products needed. From here on all products give the same bits. Errors: INVALID_VALUE: a null
 * pointer, or the set-up was cancelled; those of specmvCreatePlan(), if it failed. In the latter
 * two cases the first products stay, and so must the arrays if they are on the GPU. */
SPECMV_API specmvStatus_t specmvPlanWait(specmvPlan_t plan);
/* The same for at most so many milliseconds. *ready gets 1 if the set-up has ended, and all is then
 * as after specmvPlanWait(), else 0: products go on by the first ones. Products that run are waited
 * for beyond that time; but 0 milliseconds waits for nothing at all: what only the first products
 * needed is then kept until another of these calls. Errors: as of specmvPlanWait(), with *ready 1;
 * also INVALID_VALUE: a negative number, and *ready 0. */
SPECMV_API specmvStatus_t specmvPlanWaitFor(specmvPlan_t plan, int milliseconds, int *ready);
/* Ends the set-up at its next step, which may be one compilation away, and waits for that; the
 * first products stay, and specmvExecuteMulti() is refused. A plan that is made already stays too.
 * Errors: INVALID_VALUE: a null pointer. */
SPECMV_API specmvStatus_t specmvPlanCancel(specmvPlan_t plan);

/* --- New values ---------------------------------------------------------------------------------
 * Replaces the values of the plan's matrix; its structure stays. val: nnz values of the matrix's
 * type, in the order of the arrays that describe it, also for a transpose; may be NULL if nnz is 0.
 * Products that are put on the stream later use the new values. Products on other streams must not
 * run at the same time. A plan on the GPU takes values in device memory without waiting; val must
 * stay until the stream has come so far. It takes values on the host too: they are copied through a
 * buffer on the device, which the plan keeps, and may be reused on return. Some plans let the host
 * store the values, which takes the time of many products, and return when that is done: those of
 * cusparse-bsr; those of dia, bcsr and qcsr, which add up entries that repeat, if the matrix has
 * such; and those for which no kernel can be had. Plans of cusparse-op wait for the stream as well.
 * A plan on the host takes values on the host and a NULL stream, and copies them.
 * Errors: INVALID_VALUE: a null pointer; a plan on the GPU without the option `updatable`, unless
 * its format is csr-scalar, csr-vector, csr-merge, coo, or one of cuSPARSE's but cusparse-sell and
 * cusparse-bsr, and it was not made of arrays on the GPU with csrOutlivesPlan; for a plan on the
 * host also a stream, or values on a GPU. MISSING: the GPU has no memory for the copy of values on
 * the host. */
SPECMV_API specmvStatus_t specmvUpdateValues(specmvPlan_t plan, const void *val, void *stream);

/* --- What a plan is, for experts ----------------------------------------------------------------
 * Errors of these: INVALID_VALUE: a null pointer. */

/* The format and its parameters: "ell ell.width=27 block=256 ...", of what runs now; on the host,
 * of what a GPU would run (an H200, unless a model is named), or "csr" for first products. The text
 * lives as long as the plan. */
SPECMV_API specmvStatus_t specmvGetPlanText(specmvPlan_t plan, const char **text);
/* A sentence on what runs now: "csr-merge on the arrays as they are runs now, while the plan is
 * made". Where no rates were measured on the GPU, it ends with whose rates predict: "...; no rates
 * were measured on NVIDIA A100-SXM4-80GB: predictions use those of h200, scaled to ...". It lives
 * until this is called again for the plan. */
SPECMV_API specmvStatus_t specmvGetPlanReport(specmvPlan_t plan, const char **sentence);
/* All that is known of the plan as one JSON object, in one line: "schema" (1), "specmv" (the
 * version), "state" ("ready", or "running", "cancelled" or "failed" of a set-up beside products),
 * "text", "report", "target", "device", "type", "vectorType", "createMs", "bytes", "vectors" (that
 * a pass over the matrix multiplies), "updatable", "capturable" (whether products with vectors on
 * the GPU may be captured into a graph); and once the plan is made "plan", "chosenBy", "signature",
 * "why" (a sentence and its numbers), "candidates" (each considered plan with its predicted time,
 * in the order of these times their kind's "caution"), "kernel" (null if there is none),
 * "libraryCall", "kernels" ("are": "general" or "specialized", and what "specialization" beside
 * products is: null, "running", "ready" or "failed"; null for a plan on the host), "setupMs" (the
 * stages, and "total"), "whyHost", "gpuRates" and "warnings". It lives until this is called again
 * for the plan. */
SPECMV_API specmvStatus_t specmvGetPlanJson(specmvPlan_t plan, const char **json);
/* Where products run: SPECMV_TARGET_GPU or SPECMV_TARGET_HOST. */
SPECMV_API specmvStatus_t specmvGetPlanTarget(specmvPlan_t plan, specmvTarget_t *target);
/* The time that specmvCreatePlan() took, in milliseconds, with SPECMV_START_NOW that to the first
 * product (the whole set-up is "setupMs" of specmvGetPlanJson()); and the memory that the plan
 * holds where its products run, in bytes. Each of the two pointers may be NULL. */
SPECMV_API specmvStatus_t specmvGetPlanSetup(specmvPlan_t plan, double *milliseconds,
                                             int64_t *bytes);

/* What products of a plan take, for a program that got the plan from elsewhere. */
typedef struct {
  size_t structSize;
  int64_t rows, cols;          /* values of y and of x: of a transpose, its own */
  int64_t nnz;                 /* values that specmvUpdateValues() takes */
  specmvDataType_t dataType;   /* of the matrix */
  specmvDataType_t vectorType; /* of x, y, alpha and beta */
  specmvOperation_t operation;
  int vectors; /* for so many at once there are kernels, or will be; 1: specmvExecuteMulti() is
                  refused, also where a set-up was cancelled or failed */
} specmvPlanShape_t;

#define SPECMV_PLAN_SHAPE_INIT                                                                     \
  {                                                                                                \
    sizeof(specmvPlanShape_t), 0, 0, 0, SPECMV_R_64F, SPECMV_R_64F,                                \
        SPECMV_OPERATION_NON_TRANSPOSE, 1                                                          \
  }

/* Waits for nothing. Errors: INVALID_VALUE: also a structSize of no version. */
SPECMV_API specmvStatus_t specmvGetPlanShape(specmvPlan_t plan, specmvPlanShape_t *shape);

/* --- Working memory of the caller, for experts --------------------------------------------------
 * specmvExecuteMulti() copies X to rows where its kernels cannot read it where it lies. The memory
 * for that is the plan's own, made when it is first needed; or the caller's, so that plans which
 * never run at the same time share it, and products need not allocate. *bytes gets how many bytes
 * serve any such product of the plan; 0 for a plan that multiplies one vector, and on the host. Not
 * counted, and always the plan's own: what carries something from product to product (counters of
 * csr-merge, csr5, coo and hyb, a few bytes for each block, and what cuSPARSE prepares), and copies
 * of vectors on the host. Waits for nothing. Errors: INVALID_VALUE: a null pointer. */
SPECMV_API specmvStatus_t specmvGetPlanWorkspace(specmvPlan_t plan, int64_t *bytes);
/* From here on products of the plan use this memory of the plan's GPU, `bytes` bytes at a multiple
 * of 256; NULL: the plan's own again. Its contents do not matter before or after a product. It must
 * stay until it is replaced or the plan destroyed, and products that use it must not run at the
 * same time as anything else that does, those of other plans included; put them on one stream.
 * Waits for products of the plan that run, and frees what it had of its own. Graphs go on with the
 * memory that they were captured with, so that if it was the plan's own they must not be launched
 * any more. It does not wait for a set-up beside products. A plan that needs 0 bytes takes any such
 * memory, on the host any at all, and leaves it alone. Errors: INVALID_VALUE: a plan with
 * scratchPerStream, which needs memory for each stream; another alignment, fewer bytes than
 * specmvGetPlanWorkspace() says, memory on the host or on another GPU; the plan then goes on as
 * before. */
SPECMV_API specmvStatus_t specmvSetPlanWorkspace(specmvPlan_t plan, void *workspace, int64_t bytes);

/* --- Version and errors -----------------------------------------------------------------------*/

/* major * 10000 + minor * 100 + patch. */
SPECMV_API int specmvGetVersion(void);
/* "SPECMV_STATUS_INVALID_VALUE"; "unknown status" if the number is not one of specmvStatus_t. */
SPECMV_API const char *specmvStatusName(specmvStatus_t status);
/* A sentence that says what the status means in general. */
SPECMV_API const char *specmvStatusString(specmvStatus_t status);
/* A sentence, with the numbers at fault, on the last call of this thread that failed; "" if none
 * has failed. A call that succeeds does not change it. Valid until the next call of this thread. */
SPECMV_API const char *specmvGetLastErrorDetail(void);

#ifdef __cplusplus
}
#endif

#endif
