/* Facts about a plan: its text, reports, times, bytes, order and shape. Include specmv.h, which
 * includes this header. */
#include "specmv.h"

#ifndef SPECMV_FACTS_H
#define SPECMV_FACTS_H

#ifdef __cplusplus
extern "C" {
#endif

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
 * 0, 1, 2, ... The function waits for a set-up in the background, and then keeps the plan that
 * runs: it ends learning and improving. */
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

#ifdef __cplusplus
}
#endif

#endif
