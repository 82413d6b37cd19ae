// Implements the C API function that predicts a plan.
#include "runtime/api/arguments.h"
#include "runtime/api/guarded.h"
#include "runtime/api/handles.h"

#include <cstdio>

using namespace specmv;

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
