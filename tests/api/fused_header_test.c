/* specmv_fused.h in strict C99, included first: it brings what it needs, and each of its steps is
 * an initializer. */
#include "specmv_fused.h"

#define WANT(condition)                                                                            \
  if (!(condition))                                                                                \
  return #condition

#define READY_MADE(name) SPECMV_FUSED_##name,
static const specmvFusion_t kFusions[] = {
#include "tests/generator/ready_made_steps.def"
};

/* The first condition that does not hold, or null. A step of a plan on the host cannot run. */
const char *fusedHeaderTest(void);
const char *fusedHeaderTest(void) {
  const int32_t rowPtr[] = {0, 1, 2}, col[] = {1, 0};
  const double val[] = {2, 3};
  specmvMatrix_t a = NULL;
  specmvPlan_t plan = NULL;
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;

  options.target = SPECMV_TARGET_HOST;
  WANT(!specmvCreateCsr(&a, 2, 2, 2, rowPtr, col, val, SPECMV_INDEX_32I, SPECMV_R_64F));
  WANT(!specmvCreatePlan(&plan, a, &options));
  for (size_t i = 0; i < sizeof kFusions / sizeof *kFusions; ++i) {
    double memory[12] = {0};
    void *pointers[12];
    specmvFused_t step = NULL;
    for (int k = 0; k < 12; ++k)
      pointers[k] = &memory[k];
    WANT(!specmvCreateFused(&step, plan, &kFusions[i]));
    WANT(specmvExecuteFused(step, pointers, pointers, NULL) == SPECMV_STATUS_NO_GPU);
    WANT(specmvDestroyPlan(plan) == SPECMV_STATUS_INVALID_VALUE); /* it has a step */
    WANT(!specmvDestroyFused(step));
  }
  WANT(!specmvDestroyPlan(plan));
  WANT(!specmvDestroyMatrix(a));
  return NULL;
}
