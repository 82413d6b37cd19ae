/* specmv.h in strict C99: every function is called once, in the order in which programs do so. */
#include "specmv.h"

#include <string.h>

#define WANT(condition)                                                                            \
  if (!(condition))                                                                                \
  return #condition

/* The first condition that does not hold, or null. */
const char *headerTest(void);
const char *headerTest(void) {
  const int32_t rowPtr[] = {0, 1, 3}, col[] = {1, 0, 1};
  const float val[] = {2, 3, 4}, newVal[] = {1, 1, 1}, x[] = {10, 100}, alpha = 1, beta = 2;
  float y[] = {1, 1}, z[] = {0, 1};
  const char *text = NULL;
  specmvMatrix_t a = NULL, b = NULL;
  specmvPlan_t plan = NULL, transpose = NULL;
  specmvTarget_t target = SPECMV_TARGET_AUTO;
  specmvContext_t context = NULL;
  specmvPlanEstimate_t estimate = SPECMV_PLAN_ESTIMATE_INIT;
  specmvMatrixDescription_t description = SPECMV_MATRIX_DESCRIPTION_INIT;
  specmvContextOptions_t settings = SPECMV_CONTEXT_OPTIONS_INIT;
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  double milliseconds = -1;
  int64_t bytes = -1;
  specmvPlanShape_t shape = SPECMV_PLAN_SHAPE_INIT;
  int ready = 0;

  options.target = SPECMV_TARGET_HOST;
  options.rigor = SPECMV_RIGOR_ESTIMATE;
  options.start = SPECMV_START_WAIT;
  options.updatable = 1;
  settings.logLevel = SPECMV_LOG_ERROR;
  WANT(!specmvCreateContext(&context, &settings));
  options.context = context;
  WANT(!specmvCreateCsr(&a, 2, 2, 3, rowPtr, col, val, SPECMV_INDEX_32I, SPECMV_R_32F));
  WANT(!specmvEstimatePlan(&estimate, a, &options) && estimate.bytes > 0 && *estimate.format);
  WANT(!specmvCreatePlan(&plan, a, &options));
  WANT(!specmvPlanReady(plan, &ready) && ready == 1);
  WANT(!specmvPlanWait(plan));
  WANT(!specmvPlanWaitFor(plan, 0, &ready) && ready == 1);
  WANT(!specmvPlanCancel(plan));
  WANT(!specmvExecute(plan, &alpha, x, &beta, y, NULL));
  WANT(y[0] == 202 && y[1] == 432);
  WANT(!specmvUpdateValues(plan, newVal, NULL));
  WANT(!specmvExecute(plan, &alpha, x, &beta, y, NULL));
  WANT(y[0] == 504 && y[1] == 974);
  description.dataType = SPECMV_R_32F;
  description.rows = description.cols = 2;
  description.nnz = 3;
  description.offsets = rowPtr;
  description.colIndices = col;
  description.values = val;
  WANT(!specmvCreateMatrix(&b, &description));
  options.operation = SPECMV_OPERATION_TRANSPOSE;
  WANT(!specmvCreatePlan(&transpose, b, &options));
  WANT(!specmvExecute(transpose, &alpha, x, &beta, z, NULL));
  WANT(z[0] == 300 && z[1] == 422);
  WANT(!specmvDestroyPlanAsync(transpose, NULL));
  WANT(!specmvDestroyMatrix(b));
  WANT(!specmvGetPlanText(plan, &text) && text && *text);
  WANT(!specmvGetPlanReport(plan, &text) && text && *text);
  WANT(!specmvGetPlanJson(plan, &text) && text && *text == '{');
  WANT(!specmvGetPlanTarget(plan, &target) && target == SPECMV_TARGET_HOST);
  WANT(!specmvGetPlanShape(plan, &shape) && shape.structSize == sizeof shape);
  WANT(shape.rows == 2 && shape.cols == 2 && shape.nnz == 3 && shape.vectors == 1);
  WANT(shape.dataType == SPECMV_R_32F && shape.vectorType == SPECMV_R_32F);
  WANT(shape.operation == SPECMV_OPERATION_NON_TRANSPOSE);
  WANT(!specmvExecuteInto(plan, &alpha, x, &beta, y, z, NULL));
  WANT(!specmvGetPlanWorkspace(plan, &bytes) && bytes == 0);
  WANT(!specmvSetPlanWorkspace(plan, NULL, 0));
  WANT(!specmvGetPlanSetup(plan, &milliseconds, &bytes) && milliseconds >= 0 && bytes > 0);
  WANT(!specmvDestroyPlan(plan));
  WANT(!specmvDestroyMatrix(a));
  WANT(!specmvDestroyContext(context));
  WANT(specmvGetVersion() > 0);
  WANT(!strcmp(specmvStatusName(SPECMV_STATUS_MISSING), "SPECMV_STATUS_MISSING"));
  WANT(*specmvStatusString(SPECMV_STATUS_MISSING));
  WANT(specmvGetLastErrorDetail());
  return NULL;
}
