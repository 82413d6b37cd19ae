// Checks the handles from which a plan is made.
#include "runtime/api/handles.h"

#include "runtime/api/options.h"

namespace specmv {

llvm::Expected<PlanRequestOfCaller> checkedRequest(const specmvMatrix *matrix,
                                                   const specmvPlanOptions_t *options) {
  if (llvm::Error error = wantHandle(matrix, "matrix"))
    return error;
  auto complete = completeOptions(options);
  if (!complete)
    return complete.takeError();
  if (complete->structureOf)
    if (llvm::Error error = wantHandle(complete->structureOf, "structureOf"))
      return error;
  if (!complete->context)
    return PlanRequestOfCaller{*complete, std::make_shared<ContextState>()};
  if (llvm::Error error = wantContext(complete->context))
    return error;
  return PlanRequestOfCaller{*complete, complete->context->state};
}

} // namespace specmv
