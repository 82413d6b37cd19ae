/* The expert's part of specmv's C API: options of a plan, other matrices and products, facts.
 * Include specmv.h, which includes this header and explains errors, threads and streams. */
#ifndef SPECMV_EXPERT_H
#define SPECMV_EXPERT_H

#include "specmv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Processes ---------------------------------------------------------------------------------
 * A child of fork() may create plans and compute products on the host, also with its parent's plans
 * on the host. In the child, calls that need a GPU fail with MISSING. End the child with _exit() or
 * exec(), not with exit(), which may wait forever. If the program resets a GPU (cudaDeviceReset()),
 * functions refuse the plans on this GPU with INVALID_VALUE, and you can only destroy them. After a
 * kernel of the program has failed, products and new plans on the GPU fail with MISSING. End the
 * process (return from main, or call exit() on the main thread) only while no other thread is in a
 * call that uses a GPU. specmv-program(7) has the details, and names two kinds of programs that
 * must wait for plans first. */

/* --- Descriptions of matrices ------------------------------------------------------------------*/

typedef enum {
  SPECMV_FORMAT_CSR = 0, /* offsets of rows, colIndices */
  SPECMV_FORMAT_CSC = 1, /* offsets of columns, rowIndices */
  SPECMV_FORMAT_COO = 2, /* rowIndices and colIndices, in any order */
  SPECMV_FORMAT_BSR = 3  /* offsets of block rows, colIndices of blocks */
} specmvFormat_t;

/* Describes a matrix in your program's storage format. Begin with
 *   specmvMatrixDescription_t description = SPECMV_MATRIX_DESCRIPTION_INIT;
 * CSR with indexBase 0 and equal offsetType and indexType is used as it is. specmvCreatePlan()
 * converts everything else, and every transpose, to such CSR on the host, in 4 to 17 ns per entry
 * on two cores. It then checks the arrays before it returns, even with SPECMV_START_NOW, and the
 * plan does not need them any more. A structure that is all 0 describes values in float. */
typedef struct {
  size_t structSize;
  specmvFormat_t format;
  specmvDataType_t dataType;
  int64_t rows, cols, nnz;      /* in elements; nnz is the number of stored values */
  specmvIndexType_t offsetType; /* the type of offsets */
  specmvIndexType_t indexType;  /* the type of rowIndices and colIndices */
  int indexBase;                /* 0 or 1: the first offset and the first index */
  int blockRows, blockCols;     /* BSR: the size of a block; it divides rows and cols */
  int blocksByColumn;           /* BSR, not 0: the values of a block are in column order */
  const void *offsets;          /* rows + 1, cols + 1 or rows / blockRows + 1 elements; COO: NULL */
  const void *rowIndices;       /* nnz rows; CSR, BSR: NULL */
  const void *colIndices;       /* nnz columns; BSR: one for each block; CSC: NULL */
  /* nnz values. NULL: only the structure is known. Plans are then created as with `updatable`, and
   * refuse products until specmvUpdateValues() sets the values, unless nnz is 0. */
  const void *values;
} specmvMatrixDescription_t;

#define SPECMV_MATRIX_DESCRIPTION_INIT                                                             \
  {                                                                                                \
    sizeof(specmvMatrixDescription_t), SPECMV_FORMAT_CSR, SPECMV_R_64F, 0, 0, 0, SPECMV_INDEX_32I, \
        SPECMV_INDEX_32I, 0, 0, 0, 0, NULL, NULL, NULL, NULL                                       \
  }

/* Creates a matrix from a description. Its arrays must stay valid as long as those of
 * specmvCreateCsr(). Nothing is copied or computed. Errors: INVALID_VALUE: those of
 * specmvCreateCsr(), an unknown format, an indexBase other than 0 and 1, a block size that does not
 * divide rows, cols and nnz, an array that the format does not use. */
SPECMV_API specmvStatus_t specmvCreateMatrix(specmvMatrix_t *matrix,
                                             const specmvMatrixDescription_t *description);

/* --- Packs -------------------------------------------------------------------------------------
 * A pack is a file of kernels that `specmv pregen` compiled in advance. A plan whose kernel is in a
 * pack needs no compiler, and so no NVRTC on the machine. Kernels are looked up in the packs added
 * by this function, in the packs that SPECMV_CACHE_PATH names, and in standard.pack next to the
 * library. If the kernel of the best plan can neither be found nor compiled, specmv takes the best
 * plan whose kernel can. specmvAddPack() adds a pack for all plans that this process creates later.
 * Adding it again has no effect. Several threads may call the function at the same time. Errors:
 * INVALID_VALUE: a null pointer, a file that is not a pack of this version, or a file that is not
 * trusted: it must belong to this user or to root, and nobody else may write to it. MISSING: the
 * file cannot be opened. A damaged kernel is detected when it is needed, and compiled instead. */
SPECMV_API specmvStatus_t specmvAddPack(const char *path);

/* --- Contexts ----------------------------------------------------------------------------------
 * A context holds settings that plans share (specmvPlanOptions_t::context). Two libraries in one
 * process can each use their own context, so they do not change each other's settings. A plan
 * without a context uses the environment's settings and reports only status codes. */

typedef struct specmvContext *specmvContext_t;

typedef enum {
  SPECMV_LOG_ERROR = 1,   /* a set-up in the background failed */
  SPECMV_LOG_WARNING = 2, /* it works, but not as well as it could: the sentence says what to fix */
  SPECMV_LOG_INFO = 3,    /* what was chosen, and how long the set-up took */
  SPECMV_LOG_DEBUG = 4    /* where kernels came from */
} specmvLogLevel_t;
/* A callback of your program that receives messages. A message is one English sentence without a
 * line break, valid during the call. The callback runs in the thread that creates the plan, in the
 * thread of a set-up in the background, or in the thread that writes the cache; never twice at a
 * time, and not while the process ends. The function must not wait for a plan, or for a thread that
 * destroys a plan or the context. Inside it, calls that use the same context are refused. An
 * exception that leaves it is ignored. A call that fails sends no message; it returns a status. */
typedef void (*specmvLogCallback_t)(void *user, specmvLogLevel_t level, const char *sentence);

/* Two callbacks of your program that allocate and free device memory. Plans of the context allocate
 * all their device memory with them: packed arrays, working memory, copies of the matrix and of
 * vectors and values in host memory, the workspaces of set-ups and of cuSPARSE. Three kinds of
 * memory are allocated without them: page-locked host memory (a few pieces of 4 MiB per GPU for
 * uploads, and that of plans whose format computes partly on the host), code, and what the driver
 * and NVIDIA's libraries allocate themselves.
 * allocate() returns `bytes` bytes at a multiple of 256, for work put on `stream` (a CUstream or
 * cudaStream_t) later, or NULL if there is no memory. The calling function then uses less memory,
 * or fails with GPU_MEMORY_FULL and frees what it has allocated. An unaligned address is
 * deallocated, and the calling function fails with INVALID_VALUE.
 * deallocate() frees the memory, with the same `bytes`. Only work that was launched on `stream`
 * before the call may still use the memory. `stream` is one of your streams, the default stream
 * (NULL), or one of specmv's own, which may be destroyed before the memory is deallocated. Memory
 * for several streams is allocated and deallocated on a stream of specmv's own that has no work.
 * Both are called with the GPU's primary context current, by the thread that calls specmv or by the
 * thread of a set-up in the background. Several threads call them at the same time if several
 * threads create or use plans. They must not call specmv, throw, or wait for a thread that calls
 * specmv. They must work until the last plan of the context is destroyed, which may be after the
 * context. */
typedef void *(*specmvAllocate_t)(void *user, size_t bytes, void *stream);
typedef void (*specmvDeallocate_t)(void *user, void *pointer, size_t bytes, void *stream);

typedef struct {
  size_t structSize;
  specmvLogCallback_t log;   /* receives messages; NULL: no messages */
  void *logUser;             /* the first argument of log */
  specmvLogLevel_t logLevel; /* the least important level that log receives; 0: warnings */
  /* The number of host threads per call, including the calling one; 0, or more than the number of
   * cores: one per core. */
  int threads;
  /* The folder for compiled kernels, in place of SPECMV_CACHE_DIR and its defaults; "": none; NULL:
   * as the environment says. The folder and its parents are created if they do not exist. */
  const char *cacheDirectory;
  /* Packs and read-only caches, separated by ":", in place of those of SPECMV_CACHE_PATH; NULL: as
   * the environment says. */
  const char *packs;
  /* The allocator for device memory. If both are NULL, specmv uses its own pool. */
  specmvAllocate_t allocate;
  specmvDeallocate_t deallocate;
  void *allocatorUser; /* the first argument of both */
  /* The GPU model for predictions, in place of SPECMV_GPU_MODEL and of models in the cache folder:
   * a .json file that `specmv calibrate` wrote, or the name of a built-in model, such as "h200".
   * "": the GPU's built-in model; NULL: as the environment says. A file is read when the context is
   * created. */
  const char *gpuModel;
} specmvContextOptions_t;

#define SPECMV_CONTEXT_OPTIONS_INIT                                                                \
  {                                                                                                \
    sizeof(specmvContextOptions_t), NULL, NULL, SPECMV_LOG_WARNING, 0, NULL, NULL, NULL, NULL,     \
        NULL, NULL                                                                                 \
  }

/* Creates a context and copies what the options point to. options may be NULL. Errors:
 * INVALID_VALUE: a null pointer, a structSize of no version, an unknown level, a negative number of
 * threads, only one of allocate and deallocate, a gpuModel that is neither a built-in model nor a
 * file with a model. */
SPECMV_API specmvStatus_t specmvCreateContext(specmvContext_t *context,
                                              const specmvContextOptions_t *options);
/* Destroys a context. Plans created with it stay valid and keep its settings, but its callback is
 * not called any more. NULL is accepted. Errors: INVALID_VALUE: the handle is not a context. */
SPECMV_API specmvStatus_t specmvDestroyContext(specmvContext_t context);

/* --- Options of a plan -------------------------------------------------------------------------*/

typedef enum {
  SPECMV_TARGET_AUTO = 0, /* the GPU, or the host if the machine has no GPU */
  SPECMV_TARGET_GPU = 1,
  SPECMV_TARGET_HOST = 2 /* plain CSR on all cores */
} specmvTarget_t;

typedef enum {
  /* Run nothing; take the plan with the least predicted time, or one that is already compiled (see
   * "Kernels"). */
  SPECMV_RIGOR_ESTIMATE = 0,
  /* Time the plans with the best predictions, and take the fastest. First time those whose kernels
   * are already compiled; then compile and time those that may be faster. */
  SPECMV_RIGOR_MEASURE = 1,
  SPECMV_RIGOR_EXHAUSTIVE = 2, /* compile and time all plans, take the fastest */
  /* Estimate; on a GPU also time up to three plans within 10 percent of the best prediction, and
   * take the fastest. A plan is timed only if it may save more time in expectedProducts products
   * than its set-up and timing cost.
   * Recommended with expectedProducts; without it, very many products are assumed. */
  SPECMV_RIGOR_TRIAL = 3,
  /* Estimate; on a GPU, up to three plans then alternate in the program's own products, and the
   * fastest is kept (see "Learning"). */
  SPECMV_RIGOR_ONLINE = 4
} specmvRigor_t;

typedef enum {
  SPECMV_START_WAIT = 0, /* return when the plan is ready: all products compute the same bits */
  /* Return when products can be launched. On a GPU, the set-up of the plan then runs in the
   * background from the first product, or from the first call that asks for the plan; see "Products
   * before the plan". */
  SPECMV_START_NOW = 1
} specmvStart_t;

typedef enum {
  /* A kernel specialized for the plan; until it is compiled, a general kernel for its format, or
   * another plan that is already compiled and takes at most twice as long (see "Kernels"). */
  SPECMV_KERNELS_BOTH = 0,
  SPECMV_KERNELS_SPECIALIZED = 1, /* only that kernel; creation waits for its compilation */
  SPECMV_KERNELS_GENERAL = 2      /* the general kernel if the format has one; it is not replaced */
} specmvKernels_t;

typedef enum {
  SPECMV_OPERATION_NON_TRANSPOSE = 0, /* A: x has cols values, y has rows values */
  SPECMV_OPERATION_TRANSPOSE = 1      /* the transpose: x has rows values, y has cols values */
} specmvOperation_t;

/* Options of a plan. Begin with
 *   specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
 * and set the fields that you want. The default of each field is 0, including fields that later
 * versions add. You may also set the whole structure to 0 and structSize to its size.
 * specmv-options(7) lists what each option costs and to which formats it applies. */
struct specmvPlanOptions {
  size_t structSize;
  specmvTarget_t target;
  specmvRigor_t rigor;
  int device;     /* the number of the GPU, from 0 */
  int betaIsZero; /* not 0: a promise that beta is 0 in every product, which saves time */
  /* Choose among these, such as "ell,hyb"; NULL: all that compute the same bits in every run. */
  const char *formats;
  /* Not 0: compile nothing, take kernels only from packs, and do not read or write your cache on
   * disk. If SPECMV_TARGET_AUTO finds no GPU, a missing kernel is only a warning. */
  int onlyPacks;
  /* A plan of a matrix with the same sparsity pattern: the new plan takes its format and parameters
   * without profiling the matrix. If these do not fit, or `formats` excludes them, the option only
   * causes a logged warning. If only its coding of values does not fit, values are stored as they
   * are. Needed only during the call. */
  specmvPlan_t structureOf;
  /* Not 0: specmvUpdateValues() works for every format; some plans then store 6 more bytes per
   * entry. A planText with a coding of values, such as values=ones, is refused with
   * NOT_APPLICABLE. */
  int updatable;
  specmvStart_t start; /* when specmvCreatePlan() returns */
  /* Not 0: the expected number of products. An estimate or a trial (`rigor`) then starts from the
   * plan with the least total time of set-up and products. For few products this may be the given
   * CSR arrays, and the matrix is then checked but not profiled. */
  int64_t expectedProducts;
  /* Not 0: a promise that the arrays of the matrix stay unchanged until the plan is destroyed. If
   * they are on the GPU, plans of most CSR formats read them in place, unless 64-bit indices would
   * fit 32 bits. With `updatable`, plans copy them anyway, to store new values. Plans with values
   * in fewer bytes use these arrays to pack new values (see below). */
  int csrOutlivesPlan;
  /* Not 0: a promise that x and y of every product are in memory that the plan's GPU can access.
   * Products then do not query the driver for their location, which saves host time. */
  int vectorsOnGpu;
  specmvContext_t context; /* NULL: the environment's settings. Needed only during the call */
  /* A or its transpose. A transpose gets its own plan, as for any other matrix; the host sorts its
   * entries by columns. As values are real, it is also the conjugate transpose. */
  specmvOperation_t operation;
  /* Not 0: choose among plans that are predicted to store at most this many bytes on the GPU, or on
   * the host if products run there. This does not count the memory for `updatable`, for vectors in
   * host memory, and for a copy of the matrix during the set-up. */
  int64_t maxBytes;
  /* More than 1: choose the format and generate kernels for about this many vectors at once, for
   * specmvExecuteMulti(). One pass over the matrix multiplies up to 16 vectors. */
  int64_t vectors;
  /* Not 0: products of the plan may run on several streams at the same time, and several threads
   * may call specmvExecute() and specmvExecuteMulti() for it at once, but no other function at the
   * same time. If a product needs working memory (for the format, for rows of X, for vectors in
   * host memory), each stream gets its own. The first such product on a stream allocates it, and is
   * refused while the stream is captured. The plan finds this memory by the stream's handle, so a
   * stream's products must have ended before you destroy the stream. specmvUpdateValues() still
   * requires that the products on all streams have ended. With SPECMV_START_NOW, creation waits for
   * the plan. */
  int scratchPerStream;
  /* Not 0: alpha and beta of every product are in memory of the plan's GPU. Kernels read them when
   * they run, so a solver does not wait for them on the host. A plan on the host still takes them
   * in host memory. Formats of cuSPARSE are not chosen. */
  int scalarsOnGpu;
  /* Not 0: x, y, alpha and beta are double even if the values of the matrix are float. Products are
   * computed in double; the values of the matrix take half the bytes. Repeated entries may be added
   * in float first. No format of cuSPARSE is chosen, and none that computes partly on the host. */
  int doubleVectors;
  /* Not 0: generate kernels for specmvExecuteInto() with a z other than y, so that y is not
   * copied. */
  int resultApart;
  /* Not 0: a plan on the host also compiles the kernel that a GPU would run (an H200, or the GPU of
   * the context's gpuModel) into the cache, for later runs on a machine with that GPU. If there is
   * no cache folder, or cacheDirectory is "", nothing is compiled. */
  int compileOnHost;
  specmvKernels_t kernels; /* which kernels run products on a GPU */
  /* The text of a plan, as specmvGetPlanText() returns it: the matrix gets this plan on every
   * machine without being profiled, so products on a GPU compute the same bits. Then `rigor`,
   * `expectedProducts` and `structureOf` have no effect. INVALID_VALUE: a text that is not a plan,
   * or `formats` is set too; NOT_APPLICABLE: a plan that does not fit the matrix. NULL: specmv
   * chooses. Needed only during the call. */
  const char *planText;
  /* Not 0: most products will run in fused steps (see "Fused steps"). The choice then includes the
   * additional kernel that some formats need for the statements. */
  int fused;
  /* Not 0: store each value as it is. Otherwise a plan may store values in fewer bytes, or not at
   * all, if they are equal, equal along diagonals, few, or in double and exact in float; products
   * are bitwise equal. `updatable` says that values will change, so it has the same effect as this
   * option. See "Values in fewer bytes". */
  int plainValues;
  /* Not 0: x and y of every product are in the plan's own order of rows and columns (see
   * specmvGetPermutation()). Products then permute nothing; a solver permutes its vectors once.
   * Needs `order` or planText; with SPECMV_START_NOW it is refused (INVALID_VALUE). */
  int vectorsInPlanOrder;
  /* The order of rows and columns in which the plan multiplies: "none", that of the matrix; "bfs",
   * that of a breadth-first search, in which neighbouring rows read neighbouring values of x. A
   * product then permutes x into working memory and its result back; predicted times include this.
   * NULL: "bfs" on a GPU if products are predicted to take less than 0.9 of the time without it and
   * expectedProducts products save more time than the search costs, otherwise "none". "bfs" is
   * refused with NOT_APPLICABLE if the matrix is not square or has a row of more than 1,024
   * entries, and with the option vectors, unless vectorsInPlanOrder is set. Together with planText
   * it is refused with INVALID_VALUE. Needed only during the call. */
  const char *order;
};

#define SPECMV_PLAN_OPTIONS_INIT                                                                   \
  {                                                                                                \
    sizeof(specmvPlanOptions_t), SPECMV_TARGET_AUTO, SPECMV_RIGOR_ESTIMATE, 0, 0, NULL, 0, NULL,   \
        0, SPECMV_START_WAIT, 0, 0, 0, NULL, SPECMV_OPERATION_NON_TRANSPOSE, 0, 0, 0, 0, 0, 0, 0,  \
        SPECMV_KERNELS_BOTH, NULL, 0, 0, 0, NULL                                                   \
  }

/* --- Values in fewer bytes ---------------------------------------------------------------------
 * specmv-formats(7) describes the codings in which a plan may store values. specmvUpdateValues()
 * accepts new values for a coded plan if it would accept them for the plan with plain values, that
 * is, if the format keeps the values in the order of CSR. With csrOutlivesPlan it accepts them for
 * all formats but hcghyb: it packs them with the structure arrays of the matrix, and does not
 * change the caller's values.
 * The function first examines the new values where they are, on the GPU or the host, and waits for
 * the stream; while the stream is captured, it is refused (INVALID_VALUE). If the values fit the
 * coding, they are encoded again. If not, the plan changes to plain values with the same format and
 * parameters, and stays so. Its text and its bytes change, which may exceed maxBytes, and its
 * kernels are found or compiled (otherwise NO_NVRTC or NOT_IN_PACKS). Fused steps of the plan
 * change too. The context's log reports this (INFO). After an error the plan has its previous
 * values, or none (see specmvUpdateValues()).
 * A graph that was captured before uses the new values if the coding is still codes4, codes8, f32,
 * blocks or blocks8. For ones and diagonals, and if the text has changed, capture the graph again:
 * it may use the previous values. The memory that it reads stays allocated until the plan is
 * destroyed. */

/* --- Kernels -----------------------------------------------------------------------------------
 * A specialized kernel has parameters of the matrix as constants, such as the width of ELL or the
 * diagonals of DIA. It must be compiled, which takes 50 to 300 ms. A general kernel takes these
 * parameters as arguments. Its products are bitwise equal and take 0 to 3 percent longer (H200).
 * specmv-options(7) names the formats with general kernels, which are in the standard pack. A
 * kernel is already compiled if it is loaded, in a pack or in the cache. If the kernels of the best
 * plan are not already compiled, an estimated plan begins with its general kernel, or is replaced
 * by a compiled plan that is predicted to take at most twice as long. A low-priority thread
 * compiles the missing kernels, if they gain anything, for this plan or for the next plan of the
 * matrix. So two plans of one matrix may differ, and so may the last bits of their products.
 * specmv-choosing(7) has the details, such as when creation waits for a compilation. */

/* --- Learning ----------------------------------------------------------------------------------
 * With the rigor SPECMV_RIGOR_ONLINE, the plan begins with the best prediction. The best plans of
 * two other formats that may be as fast are stored too. The products of the program alternate among
 * these plans and are timed by events on its stream. Short products are timed in groups, which
 * include what the program launches between them. Plans that are clearly slower are dropped after
 * three products. No call waits for the times. When the fastest plan is known, after some ten to a
 * hundred products, it is kept. The memory of the others is freed in stream order, and the next
 * plan of the matrix takes the fastest without learning. Until learning ends, the last bits of y
 * may change with the plan.
 * Learning ends early, with the fastest plan so far, when a product is captured into a graph, is
 * launched on another stream or has a vector on the host, and when a fused step is created.
 * specmvUpdateValues() updates all plans. There is no learning on the host, with scratchPerStream,
 * for several vectors, with `fused`, or if `planText` or `structureOf` gives the plan. There is
 * none either if memory or the cache has a choice for the matrix that was timed (by a trial,
 * learning or measurement), or if a product is predicted to end before the host could launch and
 * time the next one, which takes about three launches of an empty kernel. All plans together stay
 * within maxBytes. Only plans whose kernels are already compiled take part, unless `kernels` says
 * to wait for them. specmvGetPlanText() returns the fastest so far, and specmvGetPlanJson() lists
 * all plans with their times under "learning". */

/* --- Estimates ---------------------------------------------------------------------------------*/

/* A prediction of the plan that specmvCreatePlan() would create if there were no earlier choice for
 * the matrix in memory or in the cache. A program can use it to decide whether the memory suffices
 * and whether a plan pays off. */
typedef struct {
  size_t structSize;
  int64_t bytes;          /* the bytes that the plan stores where its products run */
  double productUs;       /* the time of one product, in microseconds */
  double setupUs;         /* the time of the set-up in microseconds if all kernels are loaded ... */
  double setupCompiledUs; /* ... and if all of them must be compiled first */
  char format[32];        /* the name of its format */
} specmvPlanEstimate_t;

#define SPECMV_PLAN_ESTIMATE_INIT                                                                  \
  { sizeof(specmvPlanEstimate_t), 0, 0, 0, 0, "" }

/* Profiles the matrix and predicts a plan. It builds and stores nothing, and compiles only the
 * kernels that profile the matrix. It takes the options of specmvCreatePlan() and ignores rigor,
 * start, updatable and structureOf. With planText it packs the matrix to check whether that plan
 * fits, and frees the arrays. If it fails, *estimate does not change.
 * On the host, `bytes` is the size of the CSR arrays, which products use there; the other fields
 * describe the plan that a GPU would run. Errors: those of specmvCreatePlan(). */
SPECMV_API specmvStatus_t specmvEstimatePlan(specmvPlanEstimate_t *estimate, specmvMatrix_t matrix,
                                             const specmvPlanOptions_t *options);

/* --- Products before the plan ------------------------------------------------------------------
 * With the option `start` = SPECMV_START_NOW, specmvCreatePlan() returns when products can be
 * launched. The first products use the caller's CSR arrays: csr-merge computes them if its kernels
 * are loaded, in a pack or in the cache, otherwise cuSPARSE's default algorithm does. On the host,
 * products use plain CSR with a copy of the arrays. If neither kernels nor cuSPARSE are found, the
 * function waits for the plan. Meanwhile a thread and a stream of low priority set up the plan in
 * the background; the other options apply only to this plan. On a GPU the set-up would delay the
 * first product. It therefore begins once that product has been launched, or with the first call of
 * specmvPlanReady(), specmvPlanWait() or specmvPlanWaitFor(). If the first product comes much
 * later, call specmvPlanReady() once to begin. While products run, measurements of the set-up
 * (`rigor`) are less exact. The plan replaces the first algorithm between two products. It sums in
 * another order, so the last bits of results change then; with cuSPARSE they may also change from
 * product to product.
 * The caller's arrays must stay unchanged until specmvPlanReady() sets *ready to 1. So put values
 * for specmvUpdateValues() into another array, or call specmvPlanWait() first. If the matrix is on
 * the host, only the ends of rowPtr are checked before the function returns. If the arrays do not
 * form a matrix, the behaviour of the first products is undefined, as with cuSPARSE, and
 * specmvPlanWait() returns INVALID_MATRIX.
 * Products may be captured into a graph at any time. A graph of first products reads the caller's
 * arrays; do not launch it after specmvPlanWait() or specmvPlanWaitFor(), which free what it needs.
 * specmvUpdateValues() waits for the plan; specmvCreatePlan() waits for the plan that structureOf
 * names. The process may end before the plan is ready; see "Processes". A plan created with
 * SPECMV_START_WAIT is already ready, so the functions below have nothing to wait for or to
 * cancel. */

/* Sets *ready to 1 once neither the set-up nor any later product reads the caller's arrays, else to
 * 0. With csrOutlivesPlan, products may continue to read them. Waits for nothing. Errors:
 * INVALID_VALUE: a null pointer. If the set-up failed, it returns the error of specmvCreatePlan()
 * and sets *ready to 1; the plan then keeps the algorithm of the first products. */
SPECMV_API specmvStatus_t specmvPlanReady(specmvPlan_t plan, int *ready);
/* Waits for the set-up of the plan and for its running products, and frees what only the first
 * products needed. From then on all products compute the same bits. Errors: INVALID_VALUE: a null
 * pointer, or the set-up was cancelled. If the set-up failed, it returns the error of
 * specmvCreatePlan(). In these two cases the plan keeps the algorithm of the first products, which
 * reads arrays on the GPU in place, so these arrays must stay valid. */
SPECMV_API specmvStatus_t specmvPlanWait(specmvPlan_t plan);
/* Waits for the set-up at most this many milliseconds. If the set-up has ended by then, it sets
 * *ready to 1 and does what specmvPlanWait() does, including the wait for running products.
 * Otherwise it sets *ready to 0, and the first products continue. With 0 milliseconds it waits for
 * nothing, and keeps what only the first products needed until another such call. Errors: those of
 * specmvPlanWait(), with *ready 1. INVALID_VALUE: also a negative number, with *ready 0. */
SPECMV_API specmvStatus_t specmvPlanWaitFor(specmvPlan_t plan, int milliseconds, int *ready);
/* Ends the set-up at its next step and waits for that, which may take as long as one compilation.
 * The plan then keeps the algorithm of the first products, and specmvExecuteMulti() is refused. A
 * finished plan does not change. Errors: INVALID_VALUE: a null pointer. */
SPECMV_API specmvStatus_t specmvPlanCancel(specmvPlan_t plan);

/* --- Asynchronous destruction ------------------------------------------------------------------
 * Destroys the plan without waiting for the GPU. Products of the plan on this stream may still run;
 * products on other streams and graphs with its products must have ended. The plan's device memory
 * is freed in stream order, so later work on the stream can use it; its host memory is freed
 * immediately. Arrays that the plan reads in place (csrOutlivesPlan, SPECMV_START_NOW) must stay
 * valid until the stream has reached this point. After that, the next call that creates or destroys
 * a plan frees what cannot be freed in stream order: code, handles of cuSPARSE and page-locked
 * memory. The stream may be destroyed before that call, but libspecmv must not be unloaded.
 * The function still waits in three cases: for a set-up in the background, which it cancels; for
 * the stream, if the format is one of cuSPARSE that needs it (specmv-options(7)); and for all work
 * on the GPU, if the driver cannot map memory and the context has no allocator. For a plan on the
 * host, stream is ignored. A NULL plan is accepted. A call that fails leaves the plan as it was.
 * Errors: INVALID_VALUE: the handle is not a plan, or the stream is captured into a graph. */
SPECMV_API specmvStatus_t specmvDestroyPlanAsync(specmvPlan_t plan, void *stream);

/* --- The GPU's state ---------------------------------------------------------------------------
 * Plans on a GPU share resources that are kept for the next plan when the last one is destroyed: up
 * to 64 loaded modules of kernels with their code, a handle of cuSPARSE, streams, 32 MiB of
 * page-locked memory after the first large upload, and a pool of device memory. The pool keeps at
 * most the larger of 64 MiB and 1/256 of the GPU's memory (256 MiB and 1/64 while plans exist).
 * specmvReleaseDevice() waits for the GPU's work and frees all of these resources that no plan
 * uses. If no plan is left, nothing of specmv remains on the GPU, and its primary context is
 * released. You may call it at any time; the next plan allocates what it needs again. A plan
 * destroyed by specmvDestroyPlanAsync() holds its resources until its stream has reached that
 * point. Errors: INVALID_VALUE: a negative number. NO_GPU: there is no such GPU. */
SPECMV_API specmvStatus_t specmvReleaseDevice(int device);

/* --- Products for experts ----------------------------------------------------------------------*/

/* Computes z = alpha A x + beta y and does not change y. For a residual b - A x, pass alpha = -1,
 * beta = 1 and y = b. z has rows values. z may be y, but must not overlap y otherwise, and must not
 * overlap x. x may be y. If beta is 0, y is ignored and may be NULL, unless beta is on the GPU.
 * With the option resultApart, kernels read y and write z. Otherwise, and for cuSPARSE's formats
 * and first products, y is first copied to z on the stream. Everything else is as for
 * specmvExecute(). Errors: those of specmvExecute(). INVALID_VALUE: also if z overlaps x, or
 * overlaps y without being y. */
SPECMV_API specmvStatus_t specmvExecuteInto(specmvPlan_t plan, const void *alpha, const void *x,
                                            const void *beta, const void *y, void *z, void *stream);

typedef enum {
  SPECMV_ORDER_ROW = 0,   /* value j of row i of X is X[i * ldX + j]; faster */
  SPECMV_ORDER_COLUMN = 1 /* it is X[i + j * ldX]: one vector after the other */
} specmvOrder_t;

/* Computes Y = alpha A X + beta Y for `count` vectors, the columns of X and Y. X has cols rows and
 * Y has rows rows. The plan must be created with the option `vectors`, the usual number of vectors;
 * count may be any number from 0 to 2^31 - 1. Everything else is as for specmvExecute(), which
 * works for this plan too.
 * One pass over the matrix multiplies n vectors; the last pass may multiply fewer. n is the least
 * of 2, 4, 8 and 16 that is not below `vectors`, or 16. X is read in place if it is in row order,
 * count is a multiple of n, and X and ldX are aligned to 16 bytes, or to the bytes of n values if
 * that is less. Otherwise each pass copies X to rows of n values, in memory that the plan then
 * keeps; compute one such product before you capture one into a graph. With SPECMV_START_NOW the
 * function waits for the plan.
 * Errors: those of specmvExecute(). INVALID_VALUE: also a plan without kernels for several vectors,
 * a negative count, an unknown order, ldX or ldY less than count (in column order: less than cols
 * or rows). */
SPECMV_API specmvStatus_t specmvExecuteMulti(specmvPlan_t plan, int64_t count, const void *alpha,
                                             const void *X, int64_t ldX, const void *beta, void *Y,
                                             int64_t ldY, specmvOrder_t order, void *stream);

/* --- Fused steps -------------------------------------------------------------------------------
 * A fused step runs statements of a solver for each row of a product instead of storing y, and
 * computes sums over all rows, such as dot products. Each vector is then read and written once, and
 * sums stay in GPU memory, so a solver need not wait for them. This example is a step of conjugate
 * gradients:
 *
 *   specmvFusion_t fusion = SPECMV_FUSION_INIT;
 *   fusion.x = "p";                        multiplies p
 *   fusion.epilogue = "q = ax; pq += p * q;";
 *   fusion.vectors = "p, q";
 *   fusion.written = "q";
 *   fusion.sums = "pq";
 *   specmvCreateFused(&step, plan, &fusion);
 *   void *vectors[] = {p, q}, *scalars[] = {pq};
 *   specmvExecuteFused(step, vectors, scalars, stream);
 *
 * specmv_fused.h has ready-made descriptions for solvers, and specmv-fused(7) explains more. All
 * texts are C strings, which are copied; lists are names separated by commas. You choose the names,
 * but i, j, ax, real, and names that begin with specmv or __ are reserved. */

typedef struct {
  size_t structSize;
  /* The multiplied vector: one of `vectors`, or an expression of vectors, scalars and j for column
   * j, such as "r + beta * p". It is evaluated where kernels read x, or first stored as a vector,
   * whichever is predicted to be faster. NULL: the step has no product, and no ax. */
  const char *x;
  /* Statements in CUDA C++ for row i. The name of a vector stands for its value in this row, and ax
   * for the value of A x. The statements may declare variables (`real` is the type of the vectors),
   * use conditions and call functions; loops and jumps are not allowed. ratio(a, b) is a / b, or 0
   * if b is 0. In x, a condition around a division costs time at each entry, and ratio() does not.
   * This text and x have at most 8 KiB each. */
  const char *epilogue;
  /* At most 8. Vectors in x have cols values, vectors in the statements have rows values, and
   * vectors in both have the larger of the two numbers. */
  const char *vectors;
  const char *written; /* the vectors that the statements change, at most 4, none of them in x */
  const char *scalars; /* numbers that each call passes */
  /* Numbers in GPU memory, read when the step runs. Together with `scalars` at most 8. */
  const char *gpuScalars;
  /* At most 4. Each is 0 before the statements of a row. Its values after them are summed over all
   * rows, in the same order and with the same bits in every run. */
  const char *sums;
} specmvFusion_t;

#define SPECMV_FUSION_INIT                                                                         \
  { sizeof(specmvFusion_t), NULL, NULL, NULL, NULL, NULL, NULL, NULL }

typedef struct specmvFused *specmvFused_t;

/* Creates a step of the plan. It uses the plan's packed arrays and has its own kernel, which must
 * be compiled (50 to 300 ms) if the cache does not have it. Formats whose kernels cannot run
 * statements (coo, hyb, hcghyb, those of cuSPARSE), and plans that permute vectors (`order`),
 * compute A x first. specmvUpdateValues() for the plan also updates the step. The function waits
 * for a set-up in the background. For a plan on the host, the step cannot run; with the option
 * compileOnHost its kernel is compiled into the cache, which checks its texts. Errors:
 * INVALID_VALUE: a null pointer, a plan with the option vectors, a text or name that is not allowed
 * or does not compile; the detail has its line. NO_NVRTC: the kernel cannot be compiled.
 * NOT_IN_PACKS: the plan has onlyPacks, and packs have no kernels of steps. GPU_MEMORY_FULL: the
 * vectors that the step keeps do not fit. */
SPECMV_API specmvStatus_t specmvCreateFused(specmvFused_t *step, specmvPlan_t plan,
                                            const specmvFusion_t *fusion);
/* Launches the step on the stream and returns without waiting; the stream may be captured.
 * `vectors` has an address in GPU memory for each name in the fusion's `vectors`. `scalars` has an
 * address for each name in its `scalars` (on the host, read during the call), `gpuScalars` and
 * `sums` (in GPU memory), in this order; all have the vectors' type. A written vector or a sum must
 * not overlap any other of these arrays. Two runs of one step must not be on the GPU at the same
 * time; products and other steps of the plan may run at the same time, unless its format is one of
 * cuSPARSE's. Errors: INVALID_VALUE: a null pointer, a wrong alignment, arrays that overlap, memory
 * on the host or on another GPU (not checked if the plan has vectorsOnGpu). NO_GPU: the plan runs
 * on the host. */
SPECMV_API specmvStatus_t specmvExecuteFused(specmvFused_t step, void *const *vectors,
                                             void *const *scalars, void *stream);
/* Waits for the step's runs and destroys it. Destroy the steps of a plan before the plan; otherwise
 * specmvDestroyPlan() fails with INVALID_VALUE. NULL is accepted. */
SPECMV_API specmvStatus_t specmvDestroyFused(specmvFused_t step);

/* --- Facts about a plan ------------------------------------------------------------------------
 * Errors of these: INVALID_VALUE: a null pointer. */

/* Gets the format and its parameters, such as "ell ell.width=27 block=256 ...". On a GPU, this is
 * the plan that runs now. On the host, where plain CSR runs, it is the plan that a GPU would run
 * (an H200, unless a model is named), or "csr" for first products. specmvGetPlanTarget() says where
 * products run, and specmvGetPlanReport() what runs there. The text is valid until the plan is
 * destroyed. */
SPECMV_API specmvStatus_t specmvGetPlanText(specmvPlan_t plan, const char **text);
/* Gets a sentence about what runs now, such as "csr-merge on the arrays as they are runs now, while
 * the plan is made", or "plain CSR on the host runs; a GPU would run 'ell ell.width=27 ...'". If no
 * rates were measured on the GPU, it ends with the source of the rates: "...; no rates were
 * measured on NVIDIA A100-SXM4-80GB: predictions use those of h200, scaled to ...". The sentence is
 * valid until the next call of this function for the plan. */
SPECMV_API specmvStatus_t specmvGetPlanReport(specmvPlan_t plan, const char **sentence);
/* Gets all facts about the plan as one JSON object in one line: what runs now, why it was chosen,
 * all candidates, the stages of the set-up, warnings. specmv-program(7) lists the keys. The text is
 * valid until the next call of this function for the plan. */
SPECMV_API specmvStatus_t specmvGetPlanJson(specmvPlan_t plan, const char **json);
/* Gets where products run: SPECMV_TARGET_GPU or SPECMV_TARGET_HOST. */
SPECMV_API specmvStatus_t specmvGetPlanTarget(specmvPlan_t plan, specmvTarget_t *target);
/* Gets the time that specmvCreatePlan() took, in milliseconds, and the memory that the plan holds
 * on the GPU, or on the host if its products run there, in bytes. With SPECMV_START_NOW it is the
 * time until a product can be launched; "setupMs" of specmvGetPlanJson() has the whole set-up. Each
 * of the two pointers may be NULL. */
SPECMV_API specmvStatus_t specmvGetPlanSetup(specmvPlan_t plan, double *milliseconds,
                                             int64_t *bytes);

/* Gets the plan's order of rows and columns: row i of the plan is row rows[i] of the matrix, and
 * column j is column columns[j]. So a plan with vectorsInPlanOrder takes x with x[j] =
 * X[columns[j]] and computes y with y[i] = Y[rows[i]], where Y = A X. `rows` has as many elements
 * as y and `columns` as many as x, in host memory; the numbers are counted from 0. Each pointer may
 * be NULL. For a plan in the order of the matrix, and for every plan on the host, the elements are
 * 0, 1, 2, ... The function waits for a set-up in the background and ends learning.
 */
SPECMV_API specmvStatus_t specmvGetPermutation(specmvPlan_t plan, int64_t *rows, int64_t *columns);

/* The sizes and types of a plan's products, for a program that got the plan from elsewhere. */
typedef struct {
  size_t structSize;
  int64_t rows, cols;        /* the sizes of y and of x; for a transpose, those of the transpose */
  int64_t nnz;               /* the number of values that specmvUpdateValues() takes */
  specmvDataType_t dataType; /* the type of the matrix */
  specmvDataType_t vectorType; /* the type of x, y, alpha and beta */
  specmvOperation_t operation;
  /* How many vectors the kernels multiply at once, or will multiply once the plan is ready. 1:
   * specmvExecuteMulti() is refused, also after a set-up was cancelled or failed. */
  int vectors;
} specmvPlanShape_t;

#define SPECMV_PLAN_SHAPE_INIT                                                                     \
  {                                                                                                \
    sizeof(specmvPlanShape_t), 0, 0, 0, SPECMV_R_64F, SPECMV_R_64F,                                \
        SPECMV_OPERATION_NON_TRANSPOSE, 1                                                          \
  }

/* Gets the shape. Waits for nothing. Errors: INVALID_VALUE: also a structSize of no version. */
SPECMV_API specmvStatus_t specmvGetPlanShape(specmvPlan_t plan, specmvPlanShape_t *shape);

/* --- Working memory ----------------------------------------------------------------------------
 * specmvExecuteMulti() copies X to rows if its kernels cannot read X in place. The plan allocates
 * memory for this copy when a product first needs it. If you provide this memory instead, plans
 * that never run at the same time can share it, and products do not allocate. */

/* Sets *bytes to the bytes that suffice for any such product of the plan; this is 0 for one vector,
 * and on the host. This does not count working memory that the plan always allocates itself: copies
 * of vectors in host memory, and what a format keeps between products (a few bytes of counters per
 * block, the buffers of cuSPARSE). Waits for nothing. Errors: INVALID_VALUE: a null pointer. */
SPECMV_API specmvStatus_t specmvGetPlanWorkspace(specmvPlan_t plan, int64_t *bytes);
/* Makes products of the plan use this memory of the plan's GPU from now on: `bytes` bytes at a
 * multiple of 256. NULL: the plan allocates its own again. The memory need not be initialized, and
 * products overwrite it. It must stay allocated until it is replaced or the plan is destroyed.
 * Nothing else, such as another plan's product, may use it while a product of the plan runs: use
 * one stream.
 * The function waits for products of the plan that run, and frees the plan's own memory for X. It
 * does not wait for a set-up in the background. Graphs continue to use the memory that they were
 * captured with; if it was the plan's own, do not launch them any more. A plan that needs 0 bytes
 * accepts any such memory, on the host any memory at all, and does not use it. Errors:
 * INVALID_VALUE: a plan with scratchPerStream, which needs memory for each stream; another
 * alignment, too few bytes, memory on the host or on another GPU. The plan then continues as
 * before. */
SPECMV_API specmvStatus_t specmvSetPlanWorkspace(specmvPlan_t plan, void *workspace, int64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
