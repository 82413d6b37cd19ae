/* Products with a result apart or of several vectors, and the working memory that they use.
 * Include specmv.h, which includes this header. */
#include "specmv.h"

#ifndef SPECMV_PRODUCTS_H
#define SPECMV_PRODUCTS_H

#ifdef __cplusplus
extern "C" {
#endif

/* --- Products for experts ----------------------------------------------------------------------*/

/* Computes z = alpha A x + beta y and does not change y. For a residual b - A x, pass alpha = -1,
 * beta = 1 and y = b. z has rows values. z may be y, but must not overlap y otherwise, and must not
 * overlap x. x may be y. If beta is 0, y is ignored and may be NULL, unless beta is on the GPU.
 * Kernels read y and write z. For cuSPARSE's formats, y is first copied to z on the stream.
 * Everything else is as for specmvExecute(). Errors: those of specmvExecute(). INVALID_VALUE: also
 * if z overlaps x, or overlaps y without being y. */
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
 * X and Y may be columns of one array, such as the two halves of its columns, or columns by turns,
 * if they have no element in common. Nothing is written between the values of Y.
 * Errors: those of specmvExecute(). INVALID_VALUE: also a plan without kernels for several vectors,
 * a negative count, an unknown order, ldX or ldY less than count (in column order: less than cols
 * or rows). */
SPECMV_API specmvStatus_t specmvExecuteMulti(specmvPlan_t plan, int64_t count, const void *alpha,
                                             const void *X, int64_t ldX, const void *beta, void *Y,
                                             int64_t ldY, specmvOrder_t order, void *stream);

/* --- Working memory ----------------------------------------------------------------------------
 * specmvExecuteMulti() copies X to rows if its kernels cannot read X in place. The plan allocates
 * memory for this copy when a product first needs it. If you provide this memory instead, plans
 * that never run at the same time can share it, and products do not allocate. */

/* Sets *bytes to the bytes that suffice for any such product of the plan; this is 0 for one vector,
 * and on the host. This does not count working memory that the plan always allocates itself: copies
 * of vectors in host memory, and what its format or order needs (a few bytes of counters per block,
 * the sums of ctile's tiles, permuted vectors, the buffers of cuSPARSE). Waits for nothing. Errors:
 * INVALID_VALUE: a null pointer. */
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
