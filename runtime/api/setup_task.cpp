// Makes the products of the C API's plans.
#include "runtime/api/setup_task.h"

#include "generator/coding/coding.h"
#include "generator/rate_table.h"
#include "models/base/error.h"
#include "models/base/parallel.h"
#include "runtime/api/successor.h"
#include "runtime/cuda/memory_pool.h"
#include "runtime/kernels/compile_beside.h"
#include "runtime/measure/stopwatch.h"
#include "llvm/ADT/STLExtras.h"

namespace specmv {

// Returns the GPU whose context is needed to read the arrays, even for a plan that runs on the
// host. Null if the arrays are on the host.
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
  const auto source = [&](std::shared_ptr<const GpuDevice> gpu) {
    return gpu ? SourceMatrix(a, std::move(gpu), task.isLent && machine.gpu) : SourceMatrix(a);
  };
  return andThen(
      gpuOf({{a.rowPtr, "rowPtr"}, {a.col, "col"}, {a.val, "val"}}, machine, task.where.device),
      source);
}

// Changes the task to describe the CSR that the matrix was converted to.
static SourceMatrix sourceOf(ConvertedMatrix converted, bool isTransposed, SetupTask &task) {
  task.view = converted.csr->view;
  task.order = std::move(converted.order);
  task.isConverted = true;
  task.isTransposed = isTransposed;
  task.isLent = false;
  return SourceMatrix(std::move(converted.csr));
}

llvm::Expected<SourceMatrix> sourceOf(const MatrixDescription &a, bool isTransposed,
                                      const Machine &machine, SetupTask &task) {
  if (a.isPlainCsr() && !isTransposed)
    return sourceOf(task, machine);
  task.request.takesNewValues |= !a.values;
  const bool wantsOrder = task.request.takesNewValues;
  auto converted = andThen(gpuOf({{a.offsets, "offsets"},
                                  {a.rowIndices, "rowIndices"},
                                  {a.colIndices, "colIndices"},
                                  {a.values, "values"}},
                                 machine, task.where.device),
                           [&](const std::shared_ptr<const GpuDevice> &gpu) {
                             return gpu ? toCsr(a, *gpu, isTransposed, wantsOrder)
                                        : toCsr(a, isTransposed, wantsOrder);
                           });
  return andThen(std::move(converted), [&](ConvertedMatrix made) {
    return sourceOf(std::move(made), isTransposed, task);
  });
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

// Returns true if new values of a plan with a coding are packed with arrays that the caller lends
// (recode.h). HCGHYB's sums on the host do not change their kernels.
static bool packsWithLent(const Built &built, const SetupTask &task) {
  const auto isDetour = [](const Step &step) {
    return std::holds_alternative<HostDetour>(step.action);
  };
  return task.isLent && !keepsOrder(built) && !codingOf(built.plan).survivesNewValues &&
         llvm::none_of(built.steps, isDetour);
}

// Decides whether a plan takes new values, on a GPU and on the host alike: it was requested, or it
// costs nothing. A plan must not replace values that the caller lends. Of plans that are compared
// all would have to take them: the times decide which one stays, and must not decide this too.
static bool takesNewValues(const SourceMatrix &a, const Built &built, const SetupTask &task,
                           bool isCompared) {
  const bool ownsValues = !a.isLent() || !codingOf(built.plan).survivesNewValues;
  const bool costsNothing = !isCompared && !task.isConverted &&
                            (packsWithLent(built, task) || (ownsValues && keepsOrder(built)));
  return task.request.takesNewValues || costsNothing || a.given().nnz == 0;
}

// Keeps the data for replacing values.
static llvm::Error prepareUpdates(PlanProducts &products, const SourceMatrix &a, Built &built,
                                  Machine &machine, const SetupTask &task) {
  if (!products.takesNewValues)
    return llvm::Error::success();
  if (packsWithLent(built, task)) {
    products.pattern = a.isOnGpu() ? SourceMatrix(a.given(), machine.gpu, true)
                                   : SourceMatrix(a.given()); // without copies on the GPU
    return llvm::Error::success();
  }
  return ValueUpdate::make(a, built, task.order, *products.gpu, machine).moveInto(products.update);
}

static llvm::Expected<Specialized> specialized(const SetupTask &task, const SourceMatrix &a,
                                               Machine &machine) {
  Request request = task.request;
  request.csrIsLent = a.isLent();
  request.mayOmitProfile = true;
  if (task.scratchPerStream && request.rigor == Rigor::online) // several threads may multiply
    request.rigor = Rigor::estimate;
  return specialize(a, request, machine);
}

// If something is missing, the reason may be a pack or folder that cannot be read.
static llvm::Error withWarnings(llvm::Error error, const SetupTask &task, Machine &machine) {
  auto [status, sentence] = describe(std::move(error));
  if (isMissing(status) && task.isTransposed && machine.onlyPacks)
    sentence += "; the plan is for a transpose: pass --transpose to pregen";
  if (isMissing(status))
    for (const std::string &warning : machine.cache.takeWarnings())
      sentence += "; " + warning;
  return failWith(status, sentence);
}

static void tellWarnings(ContextState &context, const PlanFacts &facts) {
  for (const std::string &warning : facts.warnings)
    context.log(SPECMV_LOG_WARNING, warning);
}

// Warns if the plan that the caller named was not followed, since the caller expected its bits.
static void tellIfNotFollowed(const SetupTask &task, const CsrView &a, ChosenBy by,
                              const std::string &whyNot) {
  const auto &like = task.request.like;
  if (!like || by == ChosenBy::structure || by == ChosenBy::text)
    return;
  const std::string why =
      whyNot.empty()
          ? llvm::formatv("for {0} x {1} with {2} {3} entries does not fit this matrix, {4} x {5} "
                          "with {6} {7} entries, or its options or machine",
                          like->rows, like->cols, like->nnz, nameOf(like->type), a.rows, a.cols,
                          a.nnz, nameOf(a.valueType))
                .str()
          : "does not fit: " + whyNot;
  task.context->log(SPECMV_LOG_WARNING,
                    llvm::formatv("structureOf is not followed: its plan '{0}' {1}; the plan is "
                                  "chosen anew",
                                  like->text, why));
}

static void tell(ContextState &context, const PlanFacts &facts, const std::string &plan,
                 const Machine &machine) {
  if (!facts.whyHost.empty() && facts.where.target == Target::automatic)
    context.logOnce(SPECMV_LOG_WARNING, "products run on the host: " + facts.whyHost);
  if (const std::string rates = foreignRatesText(machine.model); !rates.empty())
    context.log(SPECMV_LOG_INFO, rates);
  if (context.wants(SPECMV_LOG_INFO))
    context.log(SPECMV_LOG_INFO, setupSentence(facts, plan));
  if (context.wants(SPECMV_LOG_DEBUG))
    context.log(SPECMV_LOG_DEBUG, kernelSentence(facts));
}

// Returns the size of the copy of the arrays with which the host multiplies.
static int64_t bytesOnHost(const CsrView &a) {
  const auto ofIndex = static_cast<int64_t>(sizeOf(a.indexType));
  return (a.rows + 1 + a.nnz) * ofIndex + a.nnz * static_cast<int64_t>(sizeOf(a.valueType));
}

llvm::Error limitOnHost(SetupTask &task, const Machine &machine) {
  const int64_t most = task.request.maxBytes;
  if (machine.gpu || most == 0)
    return llvm::Error::success();
  task.request.maxBytes = 0; // a GPU's arrays are not stored here
  const int64_t bytes = bytesOnHost(task.view);
  if (bytes <= most)
    return llvm::Error::success();
  return fail(Status::overMaxBytes,
              "CSR on the host needs {0} bytes, more than the limit, {1}; raise maxBytes", bytes,
              most);
}

llvm::Expected<PlanEstimate> estimate(const SetupTask &task, const SourceMatrix &a,
                                      Machine &machine) {
  const ThreadLimit limit(task.context->threads());
  Session session(a, task.request, machine);
  if (llvm::Error error = session.ranked().takeError())
    return error;
  const Ranked ranked = withoutUnavailableCalls(session.takeRanked()); // they could not be built
  if (ranked.candidates.empty())
    return noPlan(ranked.offers);
  Candidate best = ranked.candidates[firstToBuild(session.request, ranked.candidates,
                                                  session.csrIndex(), machine)];
  if (task.request.plan) // only packing finds out whether it fits
    if (llvm::Error error = bytesPacked(session, best.plan).moveInto(best.traffic.storedBytes))
      return error;
  const SetupSize size = sizeOf(a.deviceCsr());
  return PlanEstimate{
      .format = best.plan.format,
      .storedBytes = machine.gpu ? best.traffic.storedBytes : bytesOnHost(a.given()),
      .productUs = best.predictedUs,
      .setupUs = wholeSetup(best, size, KernelState::loaded, machine.model).totalUs(),
      .compiledSetupUs = wholeSetup(best, size, KernelState::missing, machine.model).totalUs()};
}

// Compiles the plan's own kernels in the background if the plan has general ones. They take over if
// the plan may change; otherwise they are for later programs, since the driver loads kernels only
// when all work on the GPU has ended, and meanwhile holds up the launches of all threads.
static void specializeLater(PlanProducts &out, const Built &built, const SetupTask &task,
                            const SourceMatrix &a, const Machine &machine) {
  if (!built.isGeneral || !task.isSpecializedLater ||
      !findFormat(built.plan.format)->isWorthCompiling)
    return;
  if (task.improves) {
    out.specialization = std::make_unique<Specialization>(built, a.given().cols, machine);
    return;
  }
  Machine own = machine;
  own.kernels = KernelKind::specialized;
  compileForLater(out.text, built.problem, a.setupCsr().indexType, own);
}

// Adds the product on the GPU and the objects that it needs during and after products.
static llvm::Error addGpuProduct(PlanProducts &out, Built &built, const SetupTask &task,
                                 const SourceMatrix &a, Machine &machine) {
  out.gpu = std::move(built.product);
  if (task.scratchPerStream)
    out.recipe = recipeOf(built.layout, built.steps, built.several, built.problem, a.given().cols);
  specializeLater(out, built, task, a, machine);
  return prepareUpdates(out, a, built, machine, task);
}

// Returns what is known of the products before they exist.
static PlanProducts productsWithout(const Built &built, const SetupTask &task,
                                    const SourceMatrix &a, bool isCompared) {
  PlanProducts out{.text = built.plan.text(), .isCompared = isCompared};
  out.takesNewValues = takesNewValues(a, built, task, isCompared);
  out.base = std::make_shared<const FusedBase>(
      fusedBaseOf(built.plan, task.request.problem, built.layout, a.given().rows, a.given().cols));
  return out;
}

// The facts of a rival are those of the choice but for the plan itself.
static PlanFacts factsOfRival(const PlanFacts &choice, const BuiltChoice &rival) {
  PlanFacts out = choice;
  out.choice = rival.choice;
  addBuilt(out, rival.built);
  return out;
}

// Adds the products that are compared with the choice.
static llvm::Error addRivals(PlanProducts &out, std::vector<BuiltChoice> rivals,
                             const SetupTask &task, const SourceMatrix &a, Machine &machine) {
  for (BuiltChoice &rival : rivals) {
    Built &built = rival.built;
    PlanProducts products = productsWithout(built, task, a, true);
    PlanFacts facts = factsOfRival(*out.facts, rival);
    if (llvm::Error error = addGpuProduct(products, built, task, a, machine))
      return error;
    if (products.gpu && out.gpu)
      products.gpu->takeTurnOf(*out.gpu);
    products.facts = std::make_shared<const PlanFacts>(std::move(facts));
    out.rivals.push_back(std::move(products));
  }
  return llvm::Error::success();
}

// Returns the bytes of all plans that were packed.
static int64_t storedBytes(const Specialized &made) {
  int64_t sum = made.built.layout.storedBytes();
  for (const BuiltChoice &rival : made.rivals)
    sum += rival.built.layout.storedBytes();
  return sum;
}

llvm::Expected<PlanProducts> doSetup(const SetupTask &task, const SourceMatrix &a,
                                     Machine &machine) {
  const ThreadLimit limit(task.context->threads());
  auto made = specialized(task, a, machine);
  if (!made)
    return withWarnings(made.takeError(), task, machine);
  PlanFacts facts = task.improved ? factsOfBetter(*task.improved, *made)
                                  : factsOf(a.deviceCsr(), *made, task.request, machine);
  tellWarnings(*task.context, facts); // before the next step, which may fail
  tellIfNotFollowed(task, a.given(), facts.choice.by, made->whyNotFollowed);
  const Stopwatch watch;
  Built &built = made->built;
  const int64_t stored = storedBytes(*made);
  const bool isCompared = task.isCompared || !made->rivals.empty() ||
                          (made->mayBeCompared && willImprove(task, facts, stored));
  PlanProducts out = productsWithout(built, task, a, isCompared);
  if (llvm::Error error = built.product ? addGpuProduct(out, built, task, a, machine)
                                        : a.copyOnHost().moveInto(out.host))
    return error;
  if (out.gpu)
    out.better = improvementOf(out, facts, stored, task, a, machine);
  facts.where = task.where;
  if (!task.improved) { // otherwise they are those of the plan's own set-up
    facts.setup.machine = task.machineMs;
    facts.setup.update = watch.milliseconds();
  }
  out.facts = std::make_shared<const PlanFacts>(std::move(facts));
  if (!task.improved)
    tell(*task.context, *out.facts, out.text, machine);
  out.keepLearned = std::move(made->keepLearned);
  if (llvm::Error error = addRivals(out, std::move(made->rivals), task, a, machine))
    return error;
  return out;
}

} // namespace specmv
