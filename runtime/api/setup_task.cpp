// Makes the products of the C API's plans.
#include "runtime/api/setup_task.h"

#include "generator/shared/several.h"
#include "models/base/parallel.h"
#include "models/gpus/borrow.h"
#include "runtime/cuda/memory_place.h"
#include "runtime/first_product.h"
#include "runtime/follow.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

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
              isSame(Rigor::exhaustive, SPECMV_RIGOR_EXHAUSTIVE));

// The names in the list. An empty name stays in it and is refused later as an unknown format.
static std::vector<std::string> namesOf(const char *list) {
  if (!list)
    return {};
  llvm::SmallVector<llvm::StringRef, 8> parts;
  llvm::StringRef(list).split(parts, ',');
  return {parts.begin(), parts.end()};
}

// Arrays on a GPU need a context of that GPU to be read, also for a plan that runs on the host.
// Null: they are on the host.
static llvm::Expected<std::shared_ptr<const GpuDevice>>
gpuOf(llvm::ArrayRef<std::pair<const void *, const char *>> arrays, const Machine &machine,
      int device) {
  bool onDevice = false;
  for (const auto &[pointer, name] : arrays) {
    const MemoryPlace place = placeOf(pointer);
    onDevice |= place.isOnGpu;
    if (machine.gpu)
      if (llvm::Error error = wantOnSameGpu(*machine.gpu, place, name))
        return error;
  }
  if (!onDevice)
    return nullptr;
  if (machine.gpu)
    return machine.gpu;
  return GpuDevice::open(device);
}

llvm::Expected<SourceMatrix> sourceOf(const SetupTask &task, const Machine &machine) {
  const CsrView &a = task.view;
  auto gpu =
      gpuOf({{a.rowPtr, "rowPtr"}, {a.col, "col"}, {a.val, "val"}}, machine, task.where.device);
  if (!gpu)
    return gpu.takeError();
  return *gpu ? SourceMatrix(a, std::move(*gpu), task.isLent && machine.gpu) : SourceMatrix(a);
}

llvm::Expected<SourceMatrix> sourceOf(const MatrixDescription &a, bool isTransposed,
                                      const Machine &machine, SetupTask &task) {
  if (a.isPlainCsr() && !isTransposed)
    return sourceOf(task, machine);
  auto gpu = gpuOf({{a.offsets, "offsets"},
                    {a.rowIndices, "rowIndices"},
                    {a.colIndices, "colIndices"},
                    {a.values, "values"}},
                   machine, task.where.device);
  if (!gpu)
    return gpu.takeError();
  task.isUpdatable |= !a.values;
  const bool wantsOrder = task.isUpdatable || !machine.gpu;
  auto converted =
      *gpu ? toCsr(a, **gpu, isTransposed, wantsOrder) : toCsr(a, isTransposed, wantsOrder);
  if (!converted)
    return converted.takeError();
  task.view = converted->csr->view;
  task.order = converted->order;
  task.isConverted = true;
  task.isTransposed = isTransposed;
  task.isLent = false;
  return SourceMatrix(std::move(converted->csr));
}

llvm::Expected<WorkStream> setupStreamOf(Machine &machine, const SourceMatrix &a,
                                         StreamPriority priority) {
  if (!machine.gpu)
    return WorkStream();
  auto stream = machine.gpu->workStream(priority);
  if (!stream)
    return stream;
  machine.setupStream = stream->get();
  if (a.isOnGpu())
    if (llvm::Error error = machine.gpu->followDefaultStream(stream->get()))
      return error;
  return stream;
}

// What new values need is kept if it was asked for, or if it is nothing. Values that are lent are
// not the plan's to replace.
static llvm::Error prepareUpdates(PlanProducts &products, const SourceMatrix &a, Built &built,
                                  Machine &machine, const SetupTask &task) {
  if (!task.isUpdatable && (a.isLent() || task.isConverted || !keepsOrder(built)))
    return llvm::Error::success();
  auto update = ValueUpdate::make(a, built, task.order, machine);
  if (!update)
    return update.takeError();
  products.update = std::move(*update);
  return llvm::Error::success();
}

// The plan of a matrix that may have the same structure, if the request allows it.
static std::optional<Plan> planLike(const std::optional<LikePlan> &like, const CsrView &a,
                                    const Request &request) {
  if (!like || request.maxBytes > 0 || like->rows != a.rows || like->cols != a.cols ||
      like->nnz != a.nnz || like->type != a.valueType)
    return std::nullopt;
  auto plan = parsePlan(like->text);
  const bool isAsked =
      plan && (request.formats.empty() || llvm::is_contained(request.formats, plan->format));
  return isAsked ? std::move(plan) : std::nullopt;
}

namespace {
struct BuiltWithFacts {
  Built built;
  PlanFacts facts;
};
} // namespace

// By a plan that is known without a look at the matrix; nullopt if there is none that fits.
static llvm::Expected<std::optional<BuiltWithFacts>>
builtByKnown(const SourceMatrix &a, const SetupTask &task, Machine &machine) {
  auto plan = planLike(task.like, a.given(), task.request);
  const PlanOrigin origin = plan ? PlanOrigin::followed : PlanOrigin::known;
  if (!plan)
    plan = planWithoutProfile(a, task.request, machine);
  if (!plan)
    return std::nullopt;
  auto built = follow(*plan, a, task.request.problem, machine);
  if (!built)
    return built.takeError();
  if (!*built)
    return std::nullopt;
  PlanFacts facts = factsOf(a.given(), **built, origin, task.request, machine);
  return BuiltWithFacts{std::move(**built), std::move(facts)};
}

static llvm::Expected<BuiltWithFacts> builtFor(const SourceMatrix &a, const SetupTask &task,
                                               Machine &machine) {
  auto known = builtByKnown(a, task, machine);
  if (!known)
    return known.takeError();
  if (*known)
    return std::move(**known);
  Request request = task.request;
  request.csrIsLent = a.isLent();
  auto made = specialize(a, request, machine);
  if (!made)
    return made.takeError();
  PlanFacts facts = factsOf(a.given(), *made, request, machine);
  return BuiltWithFacts{std::move(made->built), std::move(facts)};
}

// Where something is missing, a pack or folder that cannot be read may be why.
static llvm::Error withWarnings(llvm::Error error, const SetupTask &task, Machine &machine) {
  auto [status, sentence] = describe(std::move(error));
  if (status == Status::missing && task.isTransposed && machine.onlyPacks)
    sentence += "; the plan is of a transpose, for which pregen takes --transpose";
  if (status == Status::missing)
    for (const std::string &warning : machine.cache.takeWarnings())
      sentence += "; " + warning;
  return failWith(status, sentence);
}

static Problem problemOf(ValueType type, const specmvPlanOptions_t &options) {
  return {.type = type,
          .betaCanBeNonZero = options.betaIsZero == 0,
          .vectors = vectorsOfPass(options.vectors),
          .scalarsAreOnGpu = options.scalarsOnGpu != 0,
          .resultIsApart = options.resultApart != 0 && options.betaIsZero == 0,
          .vectorsAreDouble = options.doubleVectors != 0 && type == ValueType::f32};
}

// What is measured must be what runs in the end; and kernels are not replaced where several threads
// may be using them.
static KernelKind kernelsAskedBy(const specmvPlanOptions_t &options) {
  if (options.kernels == SPECMV_KERNELS_GENERAL)
    return KernelKind::general;
  const bool mayBegin = options.kernels == SPECMV_KERNELS_BOTH &&
                        options.rigor == SPECMV_RIGOR_ESTIMATE && options.scratchPerStream == 0;
  return mayBegin ? KernelKind::atHand : KernelKind::specialized;
}

SetupTask setupTaskOf(const CsrView &a, const specmvPlanOptions_t &options,
                      std::optional<LikePlan> like, std::shared_ptr<ContextState> context) {
  CachePlaces places = context->places();
  const MemorySource memory = context->memory();
  std::shared_ptr<const GpuModel> model = context->model();
  const bool usesOwnModels = context->usesOwnModels();
  return {
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
                .usesOwnModels = usesOwnModels},
      .request = {.problem = problemOf(a.valueType, options),
                  .rigor = static_cast<Rigor>(options.rigor),
                  .formats = namesOf(options.formats),
                  .fixed = {},
                  .expectedProducts = options.expectedProducts,
                  .maxBytes = options.maxBytes},
      .isUpdatable = options.updatable != 0,
      .isLent = options.csrOutlivesPlan != 0 && options.updatable == 0,
      .like = std::move(like),
      .scratchPerStream = options.scratchPerStream != 0,
      .isSpecializedLater = options.kernels == SPECMV_KERNELS_BOTH && options.onlyPacks == 0};
}

static void tell(ContextState &context, const PlanFacts &facts, const std::string &plan,
                 const Machine &machine) {
  for (const std::string &warning : facts.warnings)
    context.log(SPECMV_LOG_WARNING, warning);
  if (!facts.whyHost.empty() && facts.where.target == Target::automatic)
    context.logOnce(SPECMV_LOG_WARNING, "products run on the host: " + facts.whyHost);
  if (const std::string rates = borrowingText(machine.model); !rates.empty())
    context.log(SPECMV_LOG_INFO, rates);
  if (context.wants(SPECMV_LOG_INFO))
    context.log(SPECMV_LOG_INFO, setupSentence(facts, plan));
  if (context.wants(SPECMV_LOG_DEBUG))
    context.log(SPECMV_LOG_DEBUG, kernelSentence(facts));
}

// What a copy of the arrays takes, by which the host multiplies.
static int64_t bytesOnHost(const CsrView &a) {
  const auto ofIndex = static_cast<int64_t>(sizeOf(a.indexType));
  return (a.rows + 1 + a.nnz) * ofIndex + a.nnz * static_cast<int64_t>(sizeOf(a.valueType));
}

llvm::Error limitOnHost(SetupTask &task, const Machine &machine) {
  const int64_t most = task.request.maxBytes;
  if (machine.gpu || most == 0)
    return llvm::Error::success();
  task.request.maxBytes = 0; // what a GPU would store is not stored here
  const int64_t bytes = bytesOnHost(task.view);
  if (bytes <= most)
    return llvm::Error::success();
  return fail(Status::missing,
              "CSR on the host needs {0} bytes, more than the limit, {1}; raise maxBytes", bytes,
              most);
}

llvm::Expected<PlanEstimate> estimate(const SetupTask &task, const SourceMatrix &a,
                                      Machine &machine) {
  const ThreadLimit limit(task.context->threads());
  auto profiled = profileMatrix(a, machine);
  if (!profiled)
    return profiled.takeError();
  auto ranked = rankPlans(task.request, profiled->profile, machine);
  if (!ranked)
    return ranked.takeError();
  if (ranked->candidates.empty())
    return noPlan(ranked->offers);
  const Candidate &best =
      ranked->candidates[firstToBuild(task.request, ranked->candidates, machine)];
  const SetupSize size = sizeOf(a.given());
  return PlanEstimate{
      .format = best.plan.format,
      .storedBytes = machine.gpu ? best.traffic.storedBytes : bytesOnHost(a.given()),
      .productUs = best.predictedUs,
      .setupUs = wholeSetup(best, size, KernelState::loaded, machine.model).totalUs(),
      .compiledSetupUs = wholeSetup(best, size, KernelState::missing, machine.model).totalUs()};
}

llvm::Expected<PlanProducts> doSetup(const SetupTask &task, const SourceMatrix &a,
                                     Machine &machine) {
  const ThreadLimit limit(task.context->threads());
  auto made = builtFor(a, task, machine);
  if (!made)
    return withWarnings(made.takeError(), task, machine);
  Built &built = made->built;
  made->facts.where = task.where;
  PlanProducts out{.text = built.plan.text(), .gpu = {}, .update = {}, .host = {}};
  out.facts = std::make_shared<const PlanFacts>(std::move(made->facts));
  tell(*task.context, *out.facts, out.text, machine);
  out.gpu = std::move(built.product);
  if (out.gpu) {
    if (task.scratchPerStream)
      out.recipe =
          recipeOf(built.layout, built.steps, built.several, built.problem, a.given().cols);
    if (built.isGeneral && task.isSpecializedLater &&
        findFormat(built.plan.format)->isWorthCompiling)
      out.specialization = std::make_unique<Specialization>(built, a.given().cols, machine);
    if (llvm::Error error = prepareUpdates(out, a, built, machine, task))
      return error;
    return out;
  }
  auto host = a.copyOnHost();
  if (!host)
    return host.takeError();
  out.host = std::move(*host);
  return out;
}

} // namespace specmv
