/* The life of a plan: its set-up in the background while products run, its destruction without
 * waiting, and what stays on the GPU after it. Include specmv.h, which includes this header. */
#include "specmv.h"

#ifndef SPECMV_LIFETIME_H
#define SPECMV_LIFETIME_H

#ifdef __cplusplus
extern "C" {
#endif

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
 * product to product. If the plan is not the best one, because the kernels of that are not already
 * compiled, the best plan replaces it in the same way (see "Improving" in specmv_options.h).
 * The caller's arrays must stay unchanged until specmvPlanReady() sets *ready to 1. So put values
 * for specmvUpdateValues() into another array, or call specmvPlanWait() first. If the matrix is on
 * the host, only the ends of rowPtr are checked before the function returns. If the arrays do not
 * form a matrix, the behaviour of the first products is undefined, as with cuSPARSE, and
 * specmvPlanWait() returns INVALID_MATRIX.
 * Products may be captured into a graph at any time. A graph of first products reads the caller's
 * arrays; do not launch it after specmvPlanWait() or specmvPlanWaitFor(), which free what it needs.
 * Otherwise that is freed once the first products have ended.
 * specmvUpdateValues() waits for the plan, but not for a better one; specmvCreatePlan() waits for
 * the plan that structureOf names, and follows the one that runs. The process may end before the
 * plan is ready; see "Processes" in specmv_expert.h. A plan created with SPECMV_START_WAIT is
 * already ready unless it improves, so the functions below have nothing to wait for or to cancel.
 */

/* Sets *ready to 1 once neither the set-up nor any later product reads the caller's arrays, else to
 * 0. With csrOutlivesPlan, products may continue to read them. Waits for nothing. Errors:
 * INVALID_VALUE: a null pointer. If the set-up failed, it returns the error of specmvCreatePlan()
 * and sets *ready to 1; the plan then keeps the algorithm of the first products. */
SPECMV_API specmvStatus_t specmvPlanReady(specmvPlan_t plan, int *ready);
/* Waits for the set-up of the plan, for that of a better one, which takes as long as the
 * compilation of its kernels, and for running products, and frees what only the first products
 * needed. From then on all products compute the same bits, unless plans are compared. If only the
 * better plan cannot be made, the call succeeds. Errors: INVALID_VALUE: a null pointer, or the
 * set-up was cancelled. If the set-up failed, it returns the error of specmvCreatePlan(). In these
 * two cases the plan keeps the algorithm of the first products, which reads arrays on the GPU in
 * place, so these arrays must stay valid. */
SPECMV_API specmvStatus_t specmvPlanWait(specmvPlan_t plan);
/* Waits for the set-up at most this many milliseconds. If the set-up has ended by then, it sets
 * *ready to 1 and does what specmvPlanWait() does, including the wait for running products.
 * Otherwise it sets *ready to 0, and the first products continue. With 0 milliseconds it waits for
 * nothing, and keeps what only the first products needed until another such call. Errors: those of
 * specmvPlanWait(), with *ready 1. INVALID_VALUE: also a negative number, with *ready 0. */
SPECMV_API specmvStatus_t specmvPlanWaitFor(specmvPlan_t plan, int milliseconds, int *ready);
/* Ends the set-up at its next step and waits for that, which may take as long as one compilation.
 * The plan then keeps the algorithm of the first products, and specmvExecuteMulti() is refused. A
 * finished plan does not change: it does not improve any more. Errors: INVALID_VALUE: a null
 * pointer. */
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
 * Errors: INVALID_VALUE: the handle is not a plan, fused steps of the plan still exist, or the
 * stream is captured into a graph. */
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

#ifdef __cplusplus
}
#endif

#endif
