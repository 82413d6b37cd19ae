/* What the plans of a process share: packs of kernels, and contexts with settings, messages and an
 * allocator. Include specmv.h, which includes this header. */
#include "specmv.h"

#ifndef SPECMV_CONTEXTS_H
#define SPECMV_CONTEXTS_H

#ifdef __cplusplus
extern "C" {
#endif

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
   * as the environment says. The folder and its parents are created if they do not exist. A
   * relative path, here and in `packs`, is one of the working directory of specmvCreateContext().
   */
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

#ifdef __cplusplus
}
#endif

#endif
