// Implements the C API functions that describe a plan, its set-up and its working memory.
#include "runtime/api/arguments.h"
#include "runtime/api/guarded.h"
#include "runtime/api/handles.h"
#include "runtime/cuda/memory_pool.h"

using namespace specmv;

// --- Plan api ------------------------------------------------------------------------------------

// Implements the C API functions that describe a plan and its set-up beside products.

// Checks the plan handle and the pointer for the answer.
static llvm::Error wantPlanAnd(specmvPlan_t plan, const void *answer, const char *name) {
  if (llvm::Error error = wantHandle(plan, "plan"))
    return error;
  return wantPointer(answer, name);
}

static llvm::Error wantShape(const specmvPlanShape_t *shape) {
  if (llvm::Error error = wantPointer(shape, "shape"))
    return error;
  constexpr size_t kEnds[] = {sizeof(specmvPlanShape_t)};
  return completed(shape, kEnds, "specmvPlanShape_t").takeError();
}

// Returns true if neither later products nor the set-up read the caller's arrays.
static bool needsNoArrays(const ApiPlan &plan) {
  const bool isRead = plan.now.gpu && plan.now.matrix && plan.now.matrix->isOnGpu();
  const bool isSetUp =
      (plan.start && plan.start->readsArrays()) || (plan.better && plan.better->next.readsArrays());
  return !isSetUp && !(plan.runsFirst() && isRead);
}

extern "C" {

specmvStatus_t specmvPlanReady(specmvPlan_t plan, int *ready) {
  const specmvStatus_t status = guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantPlanAnd(plan, ready, "ready"))
      return error;
    if (plan->start)
      plan->start->begin();
    takeOver(*plan);
    *ready = needsNoArrays(*plan);
    return llvm::Error::success();
  });
  return status == SPECMV_STATUS_SUCCESS && plan->start ? plan->start->failure() : status;
}

specmvStatus_t specmvPlanWait(specmvPlan_t plan) {
  const specmvStatus_t status = guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantHandle(plan, "plan"))
      return error;
    finishChanges(*plan, std::nullopt);
    dropFormer(*plan);
    return llvm::Error::success();
  });
  return status == SPECMV_STATUS_SUCCESS && plan->start ? plan->start->outcome() : status;
}

specmvStatus_t specmvPlanWaitFor(specmvPlan_t plan, int milliseconds, int *ready) {
  const specmvStatus_t status = guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantPlanAnd(plan, ready, "ready"))
      return error;
    *ready = 0;
    if (milliseconds < 0)
      return fail(Status::badCall, "milliseconds = {0} must not be negative; 0 does not wait",
                  milliseconds);
    *ready = finishChanges(*plan, std::chrono::milliseconds(milliseconds));
    if (milliseconds > 0)
      dropFormer(*plan);
    return llvm::Error::success();
  });
  return status == SPECMV_STATUS_SUCCESS && *ready && plan->start ? plan->start->outcome() : status;
}

specmvStatus_t specmvPlanCancel(specmvPlan_t plan) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantHandle(plan, "plan"))
      return error;
    cancelChanges(*plan);
    takeOver(*plan);
    giveUpBetter(*plan, "");
    return llvm::Error::success();
  });
}

specmvStatus_t specmvGetPlanReport(specmvPlan_t plan, const char **sentence) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantPlanAnd(plan, sentence, "sentence"))
      return error;
    plan->report = reportOn(*plan);
    *sentence = plan->report.c_str();
    return llvm::Error::success();
  });
}

specmvStatus_t specmvGetPlanJson(specmvPlan_t plan, const char **json) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantPlanAnd(plan, json, "json"))
      return error;
    plan->json = jsonOn(*plan);
    *json = plan->json.c_str();
    return llvm::Error::success();
  });
}

specmvStatus_t specmvGetPlanText(specmvPlan_t plan, const char **text) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantPlanAnd(plan, text, "text"))
      return error;
    takeOver(*plan);
    *text = plan->texts.insert(plan->textNow()).first->c_str();
    return llvm::Error::success();
  });
}

specmvStatus_t specmvGetPermutation(specmvPlan_t plan, int64_t *rows, int64_t *columns) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantHandle(plan, "plan"))
      return error;
    return copyPermutation(*plan, rows, columns);
  });
}

specmvStatus_t specmvGetPlanTarget(specmvPlan_t plan, specmvTarget_t *target) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantPlanAnd(plan, target, "target"))
      return error;
    *target = plan->now.gpu ? SPECMV_TARGET_GPU : SPECMV_TARGET_HOST;
    return llvm::Error::success();
  });
}

specmvStatus_t specmvGetPlanShape(specmvPlan_t plan, specmvPlanShape_t *shape) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantHandle(plan, "plan"))
      return error;
    if (llvm::Error error = wantShape(shape))
      return error;
    takeOver(*plan);
    *shape = {sizeof *shape,
              plan->rows,
              plan->cols,
              plan->nnz,
              static_cast<specmvDataType_t>(plan->type),
              static_cast<specmvDataType_t>(plan->vectorType),
              plan->isTransposed ? SPECMV_OPERATION_TRANSPOSE : SPECMV_OPERATION_NON_TRANSPOSE,
              plan->vectorsNow()};
    return llvm::Error::success();
  });
}

specmvStatus_t specmvGetPlanSetup(specmvPlan_t plan, double *milliseconds, int64_t *bytes) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantHandle(plan, "plan"))
      return error;
    if (milliseconds)
      *milliseconds = plan->setupMs;
    takeOver(*plan);
    if (bytes)
      *bytes = plan->bytes();
    return llvm::Error::success();
  });
}

} // extern "C"

// --- Workspace api -------------------------------------------------------------------------------

// Implements the C API functions for working memory that the caller gives to a plan.

// cudaMalloc aligns at least this far, and no kernel needs more.
constexpr uintptr_t kAlignment = 256;

// Returns the size of memory that holds nothing between products: rows of X for a pass. The
// formats' scratch is not included: it must be zero between launches, and the caller may write to
// the workspace.
static int64_t bytesOfWorkspace(specmvPlan &plan) {
  if (!plan.now.gpu || plan.vectors == 1)
    return 0;
  return plan.cols * plan.vectors * static_cast<int64_t>(sizeOf(plan.vectorType));
}

static llvm::Error checkWorkspace(specmvPlan &plan, const void *workspace, int64_t bytes) {
  const GpuDevice &gpu = plan.now.gpu->gpu();
  const MemoryPlace place = placeOf(workspace);
  if (!place.isOnGpu)
    return fail(Status::badCall,
                "workspace is in host memory, but the plan runs on a GPU; pass a device pointer");
  if (llvm::Error error = wantOnSameGpu(gpu, place, "workspace"))
    return error;
  if (const auto beyond = reinterpret_cast<uintptr_t>(workspace) % kAlignment; beyond > 0)
    return fail(Status::badCall,
                "workspace is not aligned: its address is {0} bytes past a multiple of {1}", beyond,
                kAlignment);
  if (bytes < bytesOfWorkspace(plan))
    return fail(Status::badCall,
                "the workspace has {0} bytes, but the plan needs {1}, as specmvGetPlanWorkspace() "
                "says",
                bytes, bytesOfWorkspace(plan));
  return llvm::Error::success();
}

static llvm::Error setWorkspace(specmvPlan &plan, void *workspace, int64_t bytes) {
  if (bytes < 0)
    return fail(Status::badCall, "bytes = {0} must not be negative", bytes);
  if (plan.streams)
    return fail(Status::badCall,
                "the plan was made with scratchPerStream, so each stream needs its own memory; "
                "make the plan without that option to use a workspace");
  if (!plan.now.gpu)
    return llvm::Error::success();
  if (workspace)
    if (llvm::Error error = checkWorkspace(plan, workspace, bytes))
      return error;
  if (bytesOfWorkspace(plan) == 0)
    return llvm::Error::success();
  waitForProducts(plan);
  plan.several.useRows(reinterpret_cast<DevicePointer>(workspace));
  return llvm::Error::success();
}

extern "C" {

specmvStatus_t specmvGetPlanWorkspace(specmvPlan_t plan, int64_t *bytes) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantHandle(plan, "plan"))
      return error;
    if (llvm::Error error = wantPointer(bytes, "bytes"))
      return error;
    *bytes = bytesOfWorkspace(*plan);
    return llvm::Error::success();
  });
}

specmvStatus_t specmvSetPlanWorkspace(specmvPlan_t plan, void *workspace, int64_t bytes) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantHandle(plan, "plan"))
      return error;
    return setWorkspace(*plan, workspace, bytes);
  });
}

} // extern "C"
