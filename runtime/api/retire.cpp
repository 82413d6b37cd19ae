// Destroys plans while products of theirs may still run.
#include "runtime/api/plan.h"
#include "runtime/cuda/graph.h"
#include "runtime/cuda/retired.h"

namespace specmv {

static void freeOn(ApiPlan &plan, StreamHandle stream) {
  plan.now.freeOn(stream);
  for (FormerProducts &each : plan.former)
    each.products.freeOn(stream);
  if (plan.learning)
    plan.learning->freeOn(stream);
  if (plan.start)
    plan.start->freeOn(stream);
  if (plan.better)
    plan.better->next.freeOn(stream);
  plan.staged.freeOn(stream);
  plan.several.freeOn(stream);
  if (plan.streams)
    plan.streams->freeOn(stream);
  plan.order.reset();
}

llvm::Error retire(ApiPlan &plan, StreamHandle stream) {
  const std::optional<GpuProduct> &product = plan.now.gpu;
  if (!product)
    return llvm::Error::success(); // products on the host have ended
  const auto gpu = product->gpu().shared_from_this();
  if (isCaptured(*gpu, stream))
    return fail(Status::badCall, "the plan cannot be destroyed on a stream that is being captured; "
                                 "end the capture first, or pass another stream");
  // All host memory is allocated before anything is freed, since the allocation can fail.
  Retirement retirement;
  const auto rest = std::make_shared<ApiPlan>();
  cancelChanges(plan);
  freeOn(plan, stream);
  *rest = std::move(plan);
  retirement.begin(*gpu, rest, stream);
  return llvm::Error::success();
}

} // namespace specmv
