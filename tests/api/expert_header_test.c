/* specmv_expert.h in strict C99, included first: it brings what specmv.h declares. */
#include "specmv_expert.h"

#include "specmv.h"

#define WANT(condition)                                                                            \
  if (!(condition))                                                                                \
  return #condition

/* The first condition that does not hold, or null. */
const char *expertHeaderTest(void);
const char *expertHeaderTest(void) {
  const int32_t rowPtr[] = {0, 1, 2}, col[] = {1, 0};
  const double val[] = {2, 3}, x[] = {10, 100}, alpha = 1, beta = 0;
  double y[] = {0, 0};
  specmvMatrix_t a = NULL;
  specmvPlan_t plan = NULL;
  struct specmvPlanOptions options = SPECMV_PLAN_OPTIONS_INIT;
  const specmvPlanOptions_t *const same = &options;

  options.target = SPECMV_TARGET_HOST;
  WANT(same->structSize == sizeof(specmvPlanOptions_t));
  WANT(!specmvCreateCsr(&a, 2, 2, 2, rowPtr, col, val, SPECMV_INDEX_32I, SPECMV_R_64F));
  WANT(!specmvCreatePlan(&plan, a, same));
  WANT(!specmvExecute(plan, &alpha, x, &beta, y, NULL));
  WANT(y[0] == 200 && y[1] == 30);
  WANT(!specmvDestroyPlan(plan));
  WANT(!specmvDestroyMatrix(a));
  return NULL;
}
