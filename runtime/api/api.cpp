// The C API: checks arguments, and turns errors and exceptions into statuses.
#include "models/base/error.h"
#include "runtime/api/arguments.h"
#include "runtime/api/guarded.h"
#include "runtime/api/handles.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/retired.h"
#include "runtime/include/specmv.h"
#include "runtime/measure/stopwatch.h"
#include "runtime/store/packs.h"
#include "runtime/threads/background.h"

#include <cstdio>
#include <cstring>

using namespace specmv;

// --- Api -----------------------------------------------------------------------------------------

// The C API: checks arguments, turns errors and exceptions into statuses, and calls specialize().

extern "C" {

specmvStatus_t specmvAddPack(const char *path) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantPointer(path, "path"))
      return error;
    if (!*path)
      return fail(Status::badCall, "path is empty; it must name a pack");
    llvm::Error error = addPack(path);
    if (!error)
      return error;
    auto [status, sentence] = describe(std::move(error));
    return failWith(status == Status::badInput ? Status::badCall : status, sentence);
  });
}

specmvStatus_t specmvCreatePlan(specmvPlan_t *plan, specmvMatrix_t matrix,
                                const specmvPlanOptions_t *options) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantPointer(plan, "plan"))
      return error;
    *plan = nullptr;
    auto asked = checkedRequest(matrix, options);
    if (!asked)
      return asked.takeError();
    destroyRetired(); // frees memory that this call may need
    auto made = std::make_unique<specmvPlan>();
    made->context = std::move(asked->context);
    made->betaCanBeNonZero = asked->options.betaIsZero == 0;
    made->vectorsAreOnGpu = asked->options.vectorsOnGpu != 0;
    if (llvm::Error error = timed(made->setupMs, [&] {
          return makePlan(*made, matrix->description, asked->options, asked->options.structureOf);
        }))
      return error;
    *plan = made.release();
    return llvm::Error::success();
  });
}

// Checks that it is a plan whose arrays no fused step uses.
static llvm::Error wantDestroyable(specmvPlan_t plan) {
  if (llvm::Error error = wantHandle(plan, "plan"))
    return error;
  return plan->fusedSteps.empty()
             ? llvm::Error::success()
             : fail(Status::badCall,
                    "{0} fused steps of the plan still live; destroy them before the plan",
                    plan->fusedSteps.size());
}

specmvStatus_t specmvDestroyPlan(specmvPlan_t plan) {
  return guarded([&]() -> llvm::Error {
    if (!plan)
      return llvm::Error::success();
    if (llvm::Error error = wantDestroyable(plan))
      return error;
    cancelChanges(*plan);
    waitForProducts(*plan);
    delete plan;
    destroyRetired();
    return llvm::Error::success();
  });
}

specmvStatus_t specmvDestroyPlanAsync(specmvPlan_t plan, void *stream) {
  return guarded([&]() -> llvm::Error {
    if (!plan)
      return llvm::Error::success();
    if (llvm::Error error = wantDestroyable(plan))
      return error;
    if (llvm::Error error = retire(*plan, stream))
      return error;
    delete plan;
    destroyRetired();
    return llvm::Error::success();
  });
}

specmvStatus_t specmvReleaseDevice(int device) {
  return guarded([&]() -> llvm::Error {
    if (device < 0)
      return fail(Status::badCall, "device is {0}; GPUs are numbered from 0", device);
    destroyRetired();
    endIdleBehind();
    return GpuDevice::release(device);
  });
}

specmvStatus_t specmvUpdateValues(specmvPlan_t plan, const void *val, void *stream) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantHandle(plan, "plan"))
      return error;
    if (plan->nnz > 0)
      if (llvm::Error error = inTurn([&] { return wantPointer(val, "val"); },
                                     [&] { return wantAligned(val, sizeOf(plan->type), "val"); }))
        return error;
    return updateValues(*plan, val, stream);
  });
}

int specmvGetVersion(void) { return SPECMV_VERSION; }

const char *specmvStatusName(specmvStatus_t status) {
  static constexpr const char *names[] = {
      "SPECMV_STATUS_SUCCESS",         "SPECMV_STATUS_INVALID_VALUE",
      "SPECMV_STATUS_INVALID_MATRIX",  "SPECMV_STATUS_NOT_APPLICABLE",
      "SPECMV_STATUS_MISSING",         "SPECMV_STATUS_OUT_OF_MEMORY",
      "SPECMV_STATUS_INTERNAL_ERROR",  "SPECMV_STATUS_NO_GPU",
      "SPECMV_STATUS_GPU_MEMORY_FULL", "SPECMV_STATUS_OVER_MAX_BYTES",
      "SPECMV_STATUS_NO_NVRTC",        "SPECMV_STATUS_NOT_IN_PACKS"};
  static_assert(std::size(names) == SPECMV_STATUS_NOT_IN_PACKS + 1);
  const auto i = static_cast<unsigned>(numberOf(status));
  return i < std::size(names) ? names[i] : "unknown status";
}

const char *specmvStatusString(specmvStatus_t status) {
  static constexpr const char *sentences[] = {
      "the call succeeded",
      "an argument of the call is not valid",
      "the arrays do not form a valid matrix",
      "none of the requested formats can store the matrix",
      "this machine lacks something that the call needs",
      "host memory ran out",
      "internal error: a bug in specmv",
      "there is no usable GPU",
      "the memory of the GPU is full",
      "no plan needs as little memory as maxBytes allows",
      "NVRTC, which compiles kernels, is not found or cannot be used",
      "only packs are allowed, and no pack has the kernel"};
  static_assert(std::size(sentences) == SPECMV_STATUS_NOT_IN_PACKS + 1);
  const auto i = static_cast<unsigned>(numberOf(status));
  return i < std::size(sentences) ? sentences[i] : "unknown status";
}

const char *specmvGetLastErrorDetail(void) { return lastDetail(); }

} // extern "C"

// --- Context api ---------------------------------------------------------------------------------

// Implements the C API functions that create and destroy contexts.

extern "C" {

specmvStatus_t specmvCreateContext(specmvContext_t *context,
                                   const specmvContextOptions_t *options) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantPointer(context, "context"))
      return error;
    *context = nullptr;
    auto complete = completeOptions(options);
    if (!complete)
      return complete.takeError();
    auto model = modelOf(*complete);
    if (!model)
      return model.takeError();
    *context = new specmvContext(*complete, std::move(*model));
    return llvm::Error::success();
  });
}

specmvStatus_t specmvDestroyContext(specmvContext_t context) {
  return guarded([&]() -> llvm::Error {
    if (!context)
      return llvm::Error::success();
    if (llvm::Error error = wantContext(context))
      return error;
    context->state->close();
    delete context;
    return llvm::Error::success();
  });
}

} // extern "C"

// --- Estimate api --------------------------------------------------------------------------------

// Implements the C API function that predicts a plan.

static llvm::Error wantEstimate(const specmvPlanEstimate_t *estimate) {
  if (llvm::Error error = wantPointer(estimate, "estimate"))
    return error;
  constexpr size_t kEnds[] = {sizeof(specmvPlanEstimate_t)};
  return completed(estimate, kEnds, "specmvPlanEstimate_t").takeError();
}

extern "C" specmvStatus_t specmvEstimatePlan(specmvPlanEstimate_t *estimate, specmvMatrix_t matrix,
                                             const specmvPlanOptions_t *options) {
  return guarded([&]() -> llvm::Error {
    if (llvm::Error error = wantEstimate(estimate))
      return error;
    auto asked = checkedRequest(matrix, options);
    if (!asked)
      return asked.takeError();
    auto found = estimatePlan(matrix->description, asked->options, std::move(asked->context));
    if (!found)
      return found.takeError();
    estimate->bytes = found->storedBytes;
    estimate->productUs = found->productUs;
    estimate->setupUs = found->setupUs;
    estimate->setupCompiledUs = found->compiledSetupUs;
    std::snprintf(estimate->format, sizeof estimate->format, "%s", found->format.c_str());
    return llvm::Error::success();
  });
}
