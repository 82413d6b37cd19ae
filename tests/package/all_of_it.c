/* Calls every function of the C API and sets every option, as a program outside the tree: one
 * matrix in every layout, multiplied in every way, with products that are compared with known ones.
 * Prints what is wrong. */
#include <specmv_fused.h>

#include <stdio.h>
#include <string.h>

enum { kSize = 4, kEntries = 10, kStored = 12, kCount = 3 };
/* 1 2 9 0
 * 3 4 0 9
 * 0 0 5 6
 * 0 0 7 8 */
static const int kRowPtr[] = {0, 3, 6, 8, 10}, kCol[] = {0, 1, 2, 0, 1, 3, 2, 3, 2, 3};
static const double kVal[] = {1, 2, 9, 3, 4, 9, 5, 6, 7, 8};
static const int kColPtr[] = {1, 3, 5, 8, 11}, kRow[] = {1, 2, 1, 2, 1, 3, 4, 2, 3, 4}; /* from 1 */
static const double kByColumn[] = {1, 3, 2, 4, 9, 5, 7, 9, 6, 8};
static const long long kCooRow[] = {3, 3, 2, 2, 1, 1, 1, 0, 0, 0},
                       kCooCol[] = {3, 2, 3, 2, 3, 1, 0, 2, 1, 0};
static const double kCooVal[] = {8, 7, 6, 5, 9, 4, 3, 9, 2, 1};
static const int kBlockPtr[] = {0, 2, 3}, kBlockCol[] = {0, 1, 1};
static const double kBlockVal[] = {1, 2, 3, 4, 9, 0, 0, 9, 5, 6, 7, 8};
static const double kX[] = {1, 2, 3, 4}, kAx[] = {32, 47, 39, 53}, kAtx[] = {7, 10, 52, 68};

static int wrong = 0;

static void check(int isTrue, const char *what) {
  if (isTrue)
    return;
  ++wrong;
  printf("WRONG: %s: %s\n", what, specmvGetLastErrorDetail());
}
#define CHECK(condition) check(condition, #condition)
#define DONE(call) check((call) == SPECMV_STATUS_SUCCESS, #call)

/* An allocator and a listener, whose calls are counted. */
static int allocations = 0, sentences = 0;
static void *allocate(void *user, size_t bytes, void *stream) {
  (void)bytes, (void)stream;
  ++*(int *)user;
  return NULL;
}
static void deallocate(void *user, void *pointer, size_t bytes, void *stream) {
  (void)user, (void)pointer, (void)bytes, (void)stream;
}
static void hear(void *user, specmvLogLevel_t level, const char *sentence) {
  *(int *)user += level <= SPECMV_LOG_DEBUG && sentence[0] != 0;
}

static int isEqual(const double *a, const double *b, int count) {
  return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static specmvPlan_t planOf(specmvMatrix_t a, const specmvPlanOptions_t *options) {
  specmvPlan_t plan = NULL;
  DONE(specmvCreatePlan(&plan, a, options));
  return plan;
}

static void multiplies(specmvPlan_t plan, const double *want) {
  const double two = 2, minus = -1;
  double y[kSize], z[kSize];
  memcpy(y, want, sizeof y);
  DONE(specmvExecute(plan, &two, kX, &minus, y, NULL)); /* 2 want - want */
  CHECK(isEqual(y, want, kSize));
  DONE(specmvExecuteInto(plan, &two, kX, &minus, y, z, NULL));
  CHECK(isEqual(z, want, kSize) && isEqual(y, want, kSize));
}

static void multipliesSeveral(specmvPlan_t plan, specmvOrder_t order) {
  const double one = 1, zero = 0;
  double xs[kSize * kCount], ys[kSize * kCount];
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kCount; ++j)
      xs[order == SPECMV_ORDER_ROW ? i * kCount + j : i + j * kSize] = (j + 1) * kX[i];
  const int64_t leading = order == SPECMV_ORDER_ROW ? kCount : kSize;
  DONE(specmvExecuteMulti(plan, kCount, &one, xs, leading, &zero, ys, leading, order, NULL));
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kCount; ++j)
      CHECK(ys[order == SPECMV_ORDER_ROW ? i * kCount + j : i + j * kSize] == (j + 1) * kAx[i]);
}

static specmvMatrixDescription_t describe(specmvFormat_t format, int64_t stored,
                                          const void *values) {
  specmvMatrixDescription_t d = SPECMV_MATRIX_DESCRIPTION_INIT;
  d.format = format;
  d.dataType = SPECMV_R_64F;
  d.rows = d.cols = kSize;
  d.nnz = stored;
  d.values = values;
  return d;
}

static void tryLayout(const specmvMatrixDescription_t *description) {
  specmvMatrix_t a = NULL;
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  DONE(specmvCreateMatrix(&a, description));
  for (int transposed = 0; transposed < 2; ++transposed) {
    options.operation = transposed ? SPECMV_OPERATION_TRANSPOSE : SPECMV_OPERATION_NON_TRANSPOSE;
    specmvPlan_t plan = planOf(a, &options);
    multiplies(plan, transposed ? kAtx : kAx);
    DONE(specmvDestroyPlan(plan));
  }
  DONE(specmvDestroyMatrix(a));
}

static void tryLayouts(void) {
  specmvMatrixDescription_t d = describe(SPECMV_FORMAT_CSR, kEntries, kVal);
  d.offsets = kRowPtr, d.colIndices = kCol;
  tryLayout(&d);
  d = describe(SPECMV_FORMAT_CSC, kEntries, kByColumn);
  d.offsets = kColPtr, d.rowIndices = kRow, d.indexBase = 1;
  tryLayout(&d);
  d = describe(SPECMV_FORMAT_COO, kEntries, kCooVal);
  d.rowIndices = kCooRow, d.colIndices = kCooCol, d.indexType = SPECMV_INDEX_64I;
  tryLayout(&d);
  d = describe(SPECMV_FORMAT_BSR, kStored, kBlockVal);
  d.offsets = kBlockPtr, d.colIndices = kBlockCol, d.blockRows = d.blockCols = 2;
  tryLayout(&d);
}

/* What is meant for a GPU is accepted on the host, too. */
static void tryOptions(specmvMatrix_t a, specmvContext_t context) {
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  options.target = SPECMV_TARGET_HOST;
  options.context = context;
  options.rigor = SPECMV_RIGOR_ESTIMATE;
  options.formats = "ell,csr-vector,csr-merge";
  options.expectedProducts = 1000;
  options.updatable = options.csrOutlivesPlan = options.vectorsOnGpu = 1;
  options.scratchPerStream = options.scalarsOnGpu = 1;
  options.doubleVectors = options.resultApart = 1;
  options.kernels = SPECMV_KERNELS_SPECIALIZED;
  options.maxBytes = 1 << 20;
  options.vectors = 2;
  specmvPlan_t first = planOf(a, &options);
  multiplies(first, kAx);
  multipliesSeveral(first, SPECMV_ORDER_ROW);
  multipliesSeveral(first, SPECMV_ORDER_COLUMN);
  options.structureOf = first;
  specmvPlan_t second = planOf(a, &options);
  multiplies(second, kAx);
  const double twice[] = {2, 4, 18, 6, 8, 18, 10, 12, 14, 16}, twiceAx[] = {64, 94, 78, 106};
  DONE(specmvUpdateValues(second, twice, NULL));
  multiplies(second, twiceAx);
  multiplies(first, kAx);
  DONE(specmvDestroyPlanAsync(first, NULL));
  DONE(specmvDestroyPlanAsync(second, NULL));
  CHECK(allocations == 0); /* it is for device memory */
  CHECK(sentences > 0);
}

static void tryFacts(specmvMatrix_t a) {
  specmvPlanEstimate_t estimate = SPECMV_PLAN_ESTIMATE_INIT;
  const char *text = NULL, *report = NULL, *json = NULL;
  specmvTarget_t target = SPECMV_TARGET_AUTO;
  double ms = 0;
  int64_t bytes = 0;
  specmvPlan_t plan = planOf(a, NULL);
  DONE(specmvEstimatePlan(&estimate, a, NULL));
  CHECK(estimate.bytes > 0 && estimate.productUs > 0 && estimate.setupUs > 0);
  CHECK(estimate.setupCompiledUs > estimate.setupUs && estimate.format[0] != 0);
  DONE(specmvGetPlanText(plan, &text));
  DONE(specmvGetPlanReport(plan, &report));
  DONE(specmvGetPlanJson(plan, &json));
  CHECK(text[0] && strstr(report, "runs") && strstr(json, "\"state\":\"ready\"") &&
        strstr(json, "\"why\":"));
  DONE(specmvGetPlanTarget(plan, &target));
  CHECK(target == SPECMV_TARGET_HOST || target == SPECMV_TARGET_GPU);
  DONE(specmvGetPlanSetup(plan, &ms, &bytes));
  CHECK(ms > 0 && bytes > 0);
  specmvPlanShape_t shape = SPECMV_PLAN_SHAPE_INIT;
  DONE(specmvGetPlanShape(plan, &shape));
  CHECK(shape.rows == kSize && shape.cols == kSize && shape.nnz == kEntries && shape.vectors == 1);
  int64_t rows[kSize], columns[kSize];
  DONE(specmvGetPermutation(plan, rows, columns));
  for (int i = 0; i < kSize; ++i)
    CHECK(rows[i] == i && columns[i] == i); /* the matrix is too small to gain by another order */
  DONE(specmvGetPlanWorkspace(plan, &bytes));
  CHECK(bytes == 0);
  DONE(specmvSetPlanWorkspace(plan, NULL, 0));
  multiplies(plan, kAx);
  DONE(specmvDestroyPlan(plan));
}

static void tryStarts(specmvMatrix_t a) {
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  int ready = 0;
  options.start = SPECMV_START_NOW;
  specmvPlan_t plan = planOf(a, &options);
  multiplies(plan, kAx);
  DONE(specmvPlanWaitFor(plan, 60000, &ready));
  CHECK(ready == 1);
  DONE(specmvPlanWait(plan));
  DONE(specmvPlanReady(plan, &ready));
  CHECK(ready == 1);
  multiplies(plan, kAx);
  specmvDestroyPlan(plan);
  plan = planOf(a, &options);
  DONE(specmvPlanCancel(plan));
  multiplies(plan, kAx);
  specmvDestroyPlan(plan);
}

/* A step of a plan on the host is made, but does not run. */
static void tryFused(specmvMatrix_t a) {
  const specmvFusion_t fusions[] = {SPECMV_FUSED_JACOBI, SPECMV_FUSED_PAGERANK};
  double x[kSize], next[kSize], b[kSize], d[kSize], omega = 1;
  void *vectors[] = {x, next, b, d}, *scalars[] = {&omega};
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  specmvFused_t step = NULL;
  options.target = SPECMV_TARGET_HOST;
  specmvPlan_t plan = planOf(a, &options);
  for (int i = 0; i < 2; ++i) {
    DONE(specmvCreateFused(&step, plan, &fusions[i]));
    CHECK(specmvExecuteFused(step, vectors, scalars, NULL) == SPECMV_STATUS_NO_GPU);
    CHECK(specmvDestroyPlan(plan) == SPECMV_STATUS_INVALID_VALUE);
    DONE(specmvDestroyFused(step));
  }
  DONE(specmvDestroyPlan(plan));
}

int main(void) {
  specmvMatrix_t a = NULL;
  specmvContext_t context = NULL;
  specmvContextOptions_t settings = SPECMV_CONTEXT_OPTIONS_INIT;
  settings.log = hear, settings.logUser = &sentences, settings.logLevel = SPECMV_LOG_DEBUG;
  settings.threads = 1, settings.cacheDirectory = "", settings.packs = "";
  settings.allocate = allocate, settings.deallocate = deallocate;
  settings.allocatorUser = &allocations;
  settings.gpuModel = "h200";
  CHECK(specmvGetVersion() == SPECMV_VERSION);
  CHECK(specmvAddPack("no.pack") == SPECMV_STATUS_MISSING);
  CHECK(strcmp(specmvStatusName(SPECMV_STATUS_MISSING), "SPECMV_STATUS_MISSING") == 0);
  CHECK(specmvStatusString(SPECMV_STATUS_MISSING)[0] != 0);
  DONE(specmvCreateContext(&context, &settings));
  DONE(specmvCreateCsr(&a, kSize, kSize, kEntries, kRowPtr, kCol, kVal, SPECMV_INDEX_32I,
                       SPECMV_R_64F));
  tryLayouts();
  tryOptions(a, context);
  tryFacts(a);
  tryStarts(a);
  tryFused(a);
  DONE(specmvDestroyContext(context));
  DONE(specmvDestroyMatrix(a));
  CHECK(specmvReleaseDevice(-1) == SPECMV_STATUS_INVALID_VALUE);
  if (wrong == 0)
    printf("all of it is right\n");
  return wrong != 0;
}
