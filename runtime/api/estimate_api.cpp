// The function of the C API that predicts what a plan would be.
#include "runtime/api/arguments.h"
#include "runtime/api/guarded.h"
#include "runtime/api/handles.h"
#include "runtime/api/options.h"

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
    if (llvm::Error error = wantHandle(matrix, "matrix"))
      return error;
    auto complete = completeOptions(options);
    if (!complete)
      return complete.takeError();
    auto context = contextOf(*complete);
    if (!context)
      return context.takeError();
    auto found = estimatePlan(matrix->description, *complete, std::move(*context));
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
