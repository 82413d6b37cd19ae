// Puts products in the place of those that run, and destroys plans while products may still run.
#include "runtime/api/plan.h"
#include "runtime/cuda/retired.h"
#include "runtime/cuda/streams.h"

#include "llvm/ADT/STLExtras.h"

namespace specmv {

// --- Take over -----------------------------------------------------------------------------------

// Puts products in the place of those that run, between two calls: the plan's own in that of the
// first ones, the fastest of a comparison, kernels made for the plan in that of general ones.

int64_t ApiPlan::bytes() const {
  int64_t sum = now.bytes() + staged.bytes() + several.bytes() + (streams ? streams->bytes() : 0) +
                (learning ? learning->bytes() : 0) + (start ? start->bytes() : 0) +
                (better ? better->next.bytes() : 0);
  for (const FormerProducts &each : former)
    sum += each.products.bytes();
  return sum;
}

void waitForProducts(ApiPlan &plan) noexcept {
  plan.marks->wait();
  for (const FormerProducts &each : plan.former)
    each.marks->wait();
}

// Returns marks for the work to come, with an event if it is on a GPU, so that those so far tell
// when the work so far has ended. Makes room for as many former products.
static std::shared_ptr<ProductMarks> newMarks(ApiPlan &plan, const PlanProducts &now,
                                              size_t leaving) {
  plan.former.reserve(plan.former.size() + leaving);
  auto out = std::make_shared<ProductMarks>();
  if (now.gpu)
    out->prepare(now.gpu->gpu());
  return out;
}

// The products take over the share of L2 that the others had: the two never multiply in turn, so L2
// need not be divided between them.
static void takeTurn(PlanProducts &next, const PlanProducts &before) {
  if (!before.gpu)
    return;
  if (next.gpu)
    next.gpu->takeTurnOf(*before.gpu);
  for (PlanProducts &rival : next.rivals)
    if (rival.gpu)
      rival.gpu->takeTurnOf(*before.gpu);
}

// Takes the products of a successor that has ended, if it has some.
static bool takeFrom(Successor &successor, ApiPlan &plan) {
  std::shared_ptr<ProductMarks> marks;
  auto next = successor.take([&](PlanProducts &products) { // nothing throws after this
    takeTurn(products, plan.now);
    marks = newMarks(plan, products, 1);
    plan.turned.push_back({plan.now.name.empty() ? plan.now.text : plan.now.name, plan.launched});
  });
  if (!next)
    return false;
  plan.launched = 0;
  const bool areInGraphs = std::exchange(plan.isInGraphs, false) || plan.marks->areInGraphs();
  plan.former.push_back({std::exchange(plan.now, std::move(*next)),
                         std::exchange(plan.marks, std::move(marks)), areInGraphs});
  return true;
}

static void takeOverPlan(ApiPlan &plan) {
  if (!takeFrom(*plan.start, plan))
    return;
  plan.learning = Learning::of(plan.now);
  plan.better = std::move(plan.now.better);
}

static void tellOf(const Improvement &better, const ApiPlan &plan) {
  if (better.next.isOver())
    plan.context->log(SPECMV_LOG_INFO, "products now use the better plan '" + better.plan.plan +
                                           "', whose kernels were compiled beside '" +
                                           better.before + "'");
  else if (!better.next.wasCancelled())
    plan.context->log(SPECMV_LOG_WARNING, "the better plan '" + better.plan.plan +
                                              "' is not taken, so '" + better.before +
                                              "' stays: " + better.next.error());
}

// A comparison begins anew with the better plan as the first, since predictions prefer it.
static void compareWithFormer(ApiPlan &plan) {
  FormerProducts &before = plan.former.back();
  plan.learning.reset();
  if (!plan.now.isCompared || plan.now.facts->isLibraryCall || before.areInGraphs)
    return;
  plan.now.rivals.push_back(std::move(before.products));
  plan.marks = std::move(before.marks);
  plan.former.pop_back();
  plan.learning = Learning::of(plan.now);
}

// Graphs keep the products that they contain, and new values must reach these: either the plan
// takes some, and stays, or it never does.
static void takeOverBetter(ApiPlan &plan) {
  Successor &next = plan.better->next;
  next.tryToBegin();
  if (!next.hasEnded() || (plan.learning && plan.learning->isActive()))
    return;
  if (plan.now.takesNewValues && (plan.isInGraphs || plan.marks->areInGraphs()))
    return giveUpBetter(plan, "products were captured into a graph, which new values must reach");
  if (takeFrom(next, plan)) {
    plan.now.takesNewValues &= !plan.former.back().areInGraphs;
    compareWithFormer(plan);
  }
  tellOf(*plan.better, plan);
}

// New values may be on their way to products that are made but not taken.
void giveUpBetter(ApiPlan &plan, const std::string &why) {
  if (!plan.better || !plan.better->next.isRunning())
    return;
  Successor &next = plan.better->next;
  next.cancel();
  if (next.made()) {
    waitForProducts(plan);
    next.drop(why);
  } else if (!why.empty()) {
    next.drop(why);
  }
  takeFrom(next, plan); // there is nothing
  tellOf(*plan.better, plan);
}

// Those who lost a comparison are in no graph, since it ends with a captured product.
static void takeLosers(ApiPlan &plan) {
  auto marks = newMarks(plan, plan.now, plan.learning->losers()); // nothing throws after this
  plan.isInGraphs |= plan.marks->areInGraphs();
  for (PlanProducts &loser : plan.learning->takeLosers())
    plan.former.push_back({std::move(loser), plan.marks, false});
  plan.marks = std::move(marks);
}

static void tellOf(const Specialization &specialization, ContextState &context) {
  if (specialization.isOver())
    context.log(SPECMV_LOG_DEBUG, "products now use the kernel made for the plan");
  else
    context.log(SPECMV_LOG_WARNING, std::string("the kernel made for the plan is not available; "
                                                "products keep using the general one: ") +
                                        specialization.failure());
}

static void takeOverKernels(PlanProducts &products, ContextState &context) {
  if (Specialization *const own = products.specialization.get(); own && own->hasEnded()) {
    own->takeOver(*products.gpu);
    tellOf(*own, context);
  }
}

static void dropUnused(ApiPlan &plan) {
  llvm::erase_if(plan.former, [](const FormerProducts &each) {
    return !each.areInGraphs && each.marks->areOver();
  });
}

void takeOver(ApiPlan &plan) {
  if (plan.start && plan.start->hasEnded())
    takeOverPlan(plan);
  if (plan.better && plan.better->next.isRunning())
    takeOverBetter(plan);
  takeOverKernels(plan.now, *plan.context);
  if (plan.learning)
    for (PlanProducts &rival : plan.learning->rivals())
      takeOverKernels(rival, *plan.context);
  if (plan.learning && plan.learning->losers() > 0)
    takeLosers(plan);
  if (!plan.former.empty())
    dropUnused(plan);
}

void finishSetup(ApiPlan &plan) {
  if (plan.start)
    plan.start->wait();
  takeOver(plan);
}

bool finishChanges(ApiPlan &plan, std::optional<std::chrono::milliseconds> most) {
  const auto until = std::chrono::steady_clock::now() + most.value_or(std::chrono::milliseconds(0));
  const auto hasEnded = [&](Successor *next) {
    if (!next)
      return true;
    if (!most)
      next->wait();
    return !most || next->waitFor(std::chrono::ceil<std::chrono::milliseconds>(
                        until - std::chrono::steady_clock::now()));
  };
  const bool isMade = hasEnded(plan.start.get());
  takeOver(plan);
  const bool isBest = isMade && hasEnded(plan.better ? &plan.better->next : nullptr);
  takeOver(plan);
  return isBest;
}

void endChanges(ApiPlan &plan) {
  if (plan.learning)
    plan.learning->end(plan.now);
  giveUpBetter(plan, "");
}

void cancelChanges(ApiPlan &plan) {
  for (Successor *next : {plan.start.get(), plan.better ? &plan.better->next : nullptr})
    if (next)
      next->cancel();
}

void dropFormer(ApiPlan &plan) {
  if (plan.former.empty())
    return;
  waitForProducts(plan);
  llvm::erase_if(plan.former, [](const FormerProducts &each) {
    return !each.areInGraphs || !each.products.facts;
  });
}

// --- Retire --------------------------------------------------------------------------------------

// Destroys plans while products of theirs may still run.

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
