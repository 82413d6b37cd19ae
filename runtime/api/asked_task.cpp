// Turns the request of a C API caller into a set-up task.
#include "runtime/api/arguments.h"
#include "runtime/api/setup_task.h"

#include "generator/order/order.h"
#include "generator/shared/several.h"
#include "runtime/plan/sources.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace specmv {

// C enums are converted to C++ enums by their numbers, which must be equal.
template <class To, class From> static constexpr bool isSame(To to, From from) {
  return static_cast<int>(to) == static_cast<int>(from);
}
static_assert(isSame(Target::automatic, SPECMV_TARGET_AUTO) &&
              isSame(Target::gpu, SPECMV_TARGET_GPU) && isSame(Target::host, SPECMV_TARGET_HOST));
static_assert(isSame(Rigor::estimate, SPECMV_RIGOR_ESTIMATE) &&
              isSame(Rigor::trial, SPECMV_RIGOR_TRIAL) &&
              isSame(Rigor::measure, SPECMV_RIGOR_MEASURE) &&
              isSame(Rigor::exhaustive, SPECMV_RIGOR_EXHAUSTIVE) &&
              isSame(Rigor::online, SPECMV_RIGOR_ONLINE));

static Problem problemOf(ValueType type, const specmvPlanOptions_t &options) {
  return {.type = type,
          .vectors = vectorsOfPass(options.vectors),
          .scalarsAreOnGpu = options.scalarsOnGpu != 0,
          .vectorsAreDouble = options.doubleVectors != 0 && type == ValueType::f32,
          .vectorsAreOrdered = options.vectorsInPlanOrder != 0,
          .isFused = options.fused != 0};
}

// A plan that was measured begins with its final kernels, because these were timed. (Learning
// begins when they are there.) Kernels are not replaced while several threads may be using them.
static KernelKind kernelsAskedBy(const specmvPlanOptions_t &options) {
  if (options.kernels == SPECMV_KERNELS_GENERAL)
    return KernelKind::general;
  if (options.kernels == SPECMV_KERNELS_SPECIALIZED)
    return KernelKind::specialized;
  const bool runsNothing =
      options.rigor == SPECMV_RIGOR_ESTIMATE || options.rigor == SPECMV_RIGOR_ONLINE;
  const bool mayReplace = runsNothing && options.scratchPerStream == 0;
  return mayReplace || options.onlyPacks != 0 ? KernelKind::atHand : KernelKind::specialized;
}

// Bits may change anyway after a start without waiting and while plans are compared. But programs
// that have plans compared need not know that the arrays must be there as long, unless they have
// promised it. Products are not replaced while several threads may be using them.
static bool mayImprove(const specmvPlanOptions_t &options) {
  const bool isPromised = options.rigor == SPECMV_RIGOR_ONLINE && options.csrOutlivesPlan != 0;
  return (options.improves != 0 || options.start == SPECMV_START_NOW || isPromised) &&
         options.scratchPerStream == 0;
}

// The option `order` may be one of these beside the name of an order; NULL stands for any.
static constexpr const char *kAnyOrder = "", *kNoOrder = "none";

llvm::Expected<SetupTask> setupTaskOf(const CsrView &a, const specmvPlanOptions_t &options,
                                      std::optional<LikePlan> like,
                                      std::shared_ptr<ContextState> context) {
  std::optional<Plan> plan;
  if (options.planText)
    if (llvm::Error error = givenPlan(options.planText, "planText").moveInto(plan))
      return error;
  if (plan && !plan->values.empty() && options.plainValues != 0)
    return fail(Status::badCall,
                "plainValues = {0} asks for values as they are, which values={1} of planText "
                "contradicts; leave out one of them",
                options.plainValues, plan->values);
  const std::string order = options.order ? options.order : kAnyOrder;
  if (order != kAnyOrder && order != kNoOrder)
    if (llvm::Error error = checkOrder(order))
      return error;
  if (like)
    like->mayOrder = order == kAnyOrder;
  CachePlaces places = context->places();
  const MemorySource memory = context->memory();
  SharedModel model = context->model();
  const bool usesOwnModels = context->usesOwnModels();
  return SetupTask{
      .context = std::move(context),
      .view = a,
      .where = {.target = static_cast<Target>(options.target),
                .device = options.device,
                .gpuModel = "",
                .arch = "",
                .onlyPacks = options.onlyPacks != 0,
                .hostKernels = options.compileOnHost != 0 ? HostKernels::kept : HostKernels::none,
                .kernels = kernelsAskedBy(options),
                .places = std::move(places),
                .memory = memory,
                .model = std::move(model),
                .usesOwnModels = usesOwnModels,
                .modelParts = ModelParts::ofChoices},
      .request =
          {.problem = problemOf(a.valueType, options),
           .rigor = static_cast<Rigor>(options.rigor),
           .formats = namesOf(options.formats),
           .fixed = {},
           .mayCode = options.plainValues == 0,
           .order = order == kAnyOrder || order == kNoOrder ? "" : order,
           // A search takes as long as many set-ups, so that it needs a number to weigh it by.
           .mayOrder = order == kAnyOrder && options.expectedProducts > 0,
           .expectedProducts = options.expectedProducts,
           .maxBytes = options.maxBytes,
           .takesNewValues = options.updatable != 0,
           .plan = std::move(plan),
           .like = std::move(like)},
      .isLent = options.csrOutlivesPlan != 0 && options.updatable == 0,
      .scratchPerStream = options.scratchPerStream != 0,
      .isSpecializedLater = options.kernels == SPECMV_KERNELS_BOTH && options.onlyPacks == 0,
      .improves = mayImprove(options)};
}

} // namespace specmv
