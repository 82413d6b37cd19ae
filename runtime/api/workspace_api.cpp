// Implements the C API functions for working memory that the caller gives to a plan.
#include "runtime/api/arguments.h"
#include "runtime/api/guarded.h"
#include "runtime/api/handles.h"
#include "runtime/cuda/memory_place.h"

using namespace specmv;

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
