// Replaces the values of plans of the C API, or says why a plan takes no new ones.
#include "runtime/api/plan.h"

#include "models/base/parallel.h"
#include "runtime/api/recode.h"
#include "runtime/cuda/memory_pool.h"
#include "runtime/cuda/streams.h"

namespace specmv {

llvm::Error checkHasValues(const ApiPlan &plan) {
  if (plan.lacksValues)
    return fail(Status::badCall, "the plan has no values yet, since its matrix has none; call "
                                 "specmvUpdateValues() before the first product");
  if (plan.valuesAreMixed)
    return fail(Status::badCall, "the plan has no whole values, since the last update failed when "
                                 "it had stored a part of them; call specmvUpdateValues() again");
  return llvm::Error::success();
}

static llvm::Error updateOnHost(ApiPlan &plan, PlanProducts &now, const void *val,
                                const void *stream) {
  HostCopy &host = *now.host;
  if (stream)
    return fail(Status::badCall, "the plan runs on the host, so stream must be NULL");
  if (isDevicePointer(val))
    return fail(Status::badCall,
                "val is in GPU memory, but the plan runs on the host; pass a host pointer");
  if (isCoded(now))
    recodeOnHost(now, val, *plan.context);
  reorderValues(plan.order.get(), host.view.valueType, host.view.nnz, val, host.val.data());
  return llvm::Error::success();
}

// Says why products that run now take no new values.
static llvm::Error noNewValues(ApiPlan &plan) {
  const PlanProducts &now = plan.now;
  if (plan.runsFirst())
    return fail(Status::badCall,
                "the plan's set-up {0}, so the first products stay, which read the matrix's own "
                "arrays or a copy of them and take no new values; make a new plan",
                plan.start->whyNone());
  return fail(Status::badCall,
              "the values of the plan '{0}' cannot be replaced: {1}; set updatable in "
              "specmvPlanOptions_t when making the plan{2}",
              now.text,
              now.isCompared ? "with SPECMV_RIGOR_ONLINE it was compared with other plans, all of "
                               "which would need the new values"
                             : "it did not keep the positions of the entries, or it reads arrays "
                               "that are not its own",
              isCoded(now) && !now.isCompared
                  ? ", with which it stores plain values; a planText must name no coding"
                  : "");
}

using Store = llvm::function_ref<llvm::Error(PlanProducts &products, bool &isMixed)>;

// If a rival cannot have the values that the plan has by now, the learning is over.
static void updateRivals(ApiPlan &plan, Store store) {
  if (!plan.learning)
    return;
  for (PlanProducts &rival : plan.learning->rivals()) {
    bool isMixed = false;
    plan.learning->noteOtherWork();
    if (llvm::Error error = store(rival, isMixed)) {
      plan.learning->keepFirst();
      plan.context->log(SPECMV_LOG_WARNING, "a plan that took part in learning has no new values, "
                                            "so the first one stays: " +
                                                describe(std::move(error)).second);
      return;
    }
  }
}

// Gives the new values to a better plan that is being made, or is made and not used yet.
static llvm::Error updateBetter(ApiPlan &plan, const void *val, StreamHandle stream, Store store) {
  Successor &next = plan.better->next;
  if (!next.hasEnded()) {
    const size_t bytes = static_cast<size_t>(plan.nnz) * sizeOf(plan.type);
    auto isKept = next.keepValues(plan.now.gpu->gpu(), val, bytes, stream);
    if (!isKept || *isKept)
      return isKept.takeError();
    next.wait();
  }
  bool isMixed = false;
  PlanProducts *const made = next.made();
  return made ? store(*made, isMixed) : llvm::Error::success();
}

// If a better plan cannot have the values, or a graph will change those of this plan alone, this
// plan stays.
static void passOn(ApiPlan &plan, const void *val, StreamHandle stream, Store store) {
  if (!plan.better || !plan.better->next.isRunning() || plan.nnz == 0)
    return;
  if (!plan.isUpdatable)
    return giveUpBetter(plan, "new values need the option updatable");
  if (isCaptured(plan.now.gpu->gpu(), stream))
    return giveUpBetter(plan, "an update was captured into a graph");
  if (llvm::Error error = updateBetter(plan, val, stream, store))
    giveUpBetter(plan, "it has no new values: " + describe(std::move(error)).second);
}

static llvm::Error storeValues(ApiPlan &plan, const void *val, void *stream) {
  PlanProducts &now = plan.now;
  if (!now.takesNewValues)
    return noNewValues(plan);
  if (!now.gpu)
    return updateOnHost(plan, now, val, stream);
  if (isCoded(now)) {
    giveUpBetter(plan, "new values need the option updatable");
    return marked(*plan.marks, *now.gpu, stream, [&] { return recode(plan, val, stream); });
  }
  const auto store = [&](PlanProducts &products, bool &isMixed) {
    return marked(*plan.marks, *products.gpu, stream,
                  [&] { return products.update->run(*products.gpu, val, stream, isMixed); });
  };
  if (llvm::Error error = store(now, plan.valuesAreMixed))
    return error;
  updateRivals(plan, store);
  passOn(plan, val, stream, store);
  if (!plan.streams)
    return llvm::Error::success();
  plan.valuesAreMixed = true; // until the products of all streams know of the new values
  return plan.streams->valuesChanged(stream);
}

llvm::Error updateValues(ApiPlan &plan, const void *val, void *stream) {
  const ThreadLimit limit(plan.context->threads());
  finishSetup(plan);
  if (llvm::Error error = storeValues(plan, val, stream))
    return error;
  plan.lacksValues = plan.valuesAreMixed = false;
  return llvm::Error::success();
}

} // namespace specmv
