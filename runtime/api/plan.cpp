// Makes the plans of the C API, and takes over the result of a set-up that ran beside products.
#include "runtime/api/plan.h"

#include "generator/rate_table.h"
#include "models/base/error.h"
#include "models/base/parallel.h"
#include "runtime/api/arguments.h"
#include "runtime/api/first_products.h"
#include "runtime/explain/sentence.h"
#include "runtime/measure/stopwatch.h"
#include "llvm/ADT/ScopeExit.h"

namespace specmv {

// Describes the plan to follow. It must be complete, not the first products of a set-up that
// failed.
static std::optional<LikePlan> wayOf(ApiPlan *like) {
  if (!like)
    return std::nullopt;
  finishSetup(*like);
  if (like->runsFirst())
    return std::nullopt;
  return LikePlan{like->rows, like->cols, like->nnz, like->type, like->now.text};
}

static bool isTransposed(const specmvPlanOptions_t &options) {
  return numberOf(options.operation) == SPECMV_OPERATION_TRANSPOSE;
}

namespace {
// The input of a set-up: the task, the machine that it runs on, and the matrix there.
struct Prepared {
  SetupTask task;
  Machine machine;
  SourceMatrix matrix;
  WorkStream stream; // the machine's setupStream
};
} // namespace

static llvm::Expected<Prepared> prepare(const MatrixDescription &a,
                                        const specmvPlanOptions_t &options,
                                        std::optional<LikePlan> like,
                                        std::shared_ptr<ContextState> context) {
  auto task = setupTaskOf(a.view(), options, std::move(like), std::move(context));
  if (!task)
    return task.takeError();
  auto machine = Machine::find(task->where);
  if (!machine)
    return machine.takeError();
  // On the host, scalars are always passed by value.
  task->request.problem.scalarsAreOnGpu &= machine->gpu != nullptr;
  auto matrix = sourceOf(a, isTransposed(options), *machine, *task);
  if (!matrix)
    return matrix.takeError();
  if (llvm::Error error = limitOnHost(*task, *machine))
    return error;
  return andThen(setupStreamOf(*machine, *matrix), [&](WorkStream stream) {
    return Prepared{std::move(*task), std::move(*machine), std::move(*matrix), std::move(stream)};
  });
}

static void note(ApiPlan &plan, const MatrixDescription &a, const specmvPlanOptions_t &options,
                 const Prepared &ready) {
  const SetupTask &task = ready.task;
  plan.rows = task.view.rows;
  plan.cols = task.view.cols;
  plan.nnz = task.view.nnz;
  plan.type = task.view.valueType;
  plan.vectorType = vectorTypeOf(task.request.problem);
  plan.vectors = task.request.problem.vectors;
  plan.scalarsAreOnGpu = task.request.problem.scalarsAreOnGpu;
  plan.order = task.order;
  plan.isUpdatable = task.request.takesNewValues;
  plan.lacksValues = !a.values && a.nnz > 0;
  plan.isTransposed = isTransposed(options);
  plan.ratesNote = foreignRatesText(ready.machine.model);
}

// Starts with first products, if the options ask for it and there are any.
static llvm::Error startNow(ApiPlan &plan, const specmvPlanOptions_t &options, Prepared &ready) {
  if (options.start != SPECMV_START_NOW || options.scratchPerStream != 0)
    return llvm::Error::success();
  auto first = firstProducts(ready.task, ready.matrix, ready.machine);
  if (!first)
    return first.takeError();
  if (!*first)
    return llvm::Error::success();
  plan.now = std::move(**first);
  plan.start = std::make_shared<Successor>(std::move(ready.task), ready.matrix, ready.machine.gpu);
  // On a GPU it would compete with the first product for the driver's locks.
  if (!ready.machine.gpu)
    plan.start->begin();
  return llvm::Error::success();
}

static llvm::Error setUp(ApiPlan &plan, const Prepared &ready, Machine &machine) {
  if (llvm::Error error = doSetup(ready.task, ready.matrix, machine).moveInto(plan.now))
    return error;
  if (ready.task.scratchPerStream)
    plan.streams = std::make_unique<StreamStates>(plan.now.recipe);
  plan.learning = Learning::of(plan.now);
  plan.better = std::move(plan.now.better);
  return llvm::Error::success();
}

llvm::Error makePlan(ApiPlan &plan, const MatrixDescription &a, const specmvPlanOptions_t &options,
                     ApiPlan *like) {
  const ThreadLimit limit(plan.context->threads());
  const Stopwatch watch;
  auto ready = prepare(a, options, wayOf(like), plan.context);
  if (!ready)
    return ready.takeError();
  note(plan, a, options, *ready);
  Machine &machine = ready->machine;
  if (machine.gpu) {
    machine.storesBehind = [context = plan.context](const std::string &warning) {
      context->log(SPECMV_LOG_WARNING, warning);
    };
    plan.marks->prepare(*machine.gpu);
  }
  return inTurn([&] { return startNow(plan, options, *ready); },
                [&] {
                  ready->task.machineMs = watch.milliseconds();
                  return plan.start ? llvm::Error::success() : setUp(plan, *ready, machine);
                });
}

llvm::Expected<PlanEstimate> estimatePlan(const MatrixDescription &a,
                                          const specmvPlanOptions_t &options,
                                          std::shared_ptr<ContextState> context) {
  const ThreadLimit limit(context->threads());
  return andThen(prepare(a, options, std::nullopt, std::move(context)),
                 [](Prepared ready) { return estimate(ready.task, ready.matrix, ready.machine); });
}

llvm::Error marked(ProductMarks &marks, const GpuProduct &product, StreamHandle stream,
                   llvm::function_ref<llvm::Error()> put) {
  bool isMarked = false;
  const auto mark = [&] {
    isMarked = true;
    return marks.mark(product.gpu(), stream);
  };
  // `put` may throw after it has put some of its work on the stream.
  const auto always = llvm::make_scope_exit([&] {
    if (!isMarked)
      llvm::consumeError(mark());
  });
  llvm::Error result = put();
  llvm::Error error = mark();
  if (!result)
    return error;
  llvm::consumeError(std::move(error));
  return result;
}

// Returns "running", "ready", "cancelled" or "failed".
static const char *stateOf(const ApiPlan &plan) {
  return plan.start ? plan.start->stateName() : "ready";
}

// Says what ran before: ", after 3 products by csr-merge on the arrays as they are".
static std::string beforeText(const ApiPlan &plan) {
  std::string out;
  for (const auto &[name, count] : plan.turned)
    if (count > 0)
      out += llvm::formatv("{0} {1} {2} by {3}", out.empty() ? ", after" : " and", count,
                           count == 1 ? "product" : "products", name);
  return out;
}

static std::string runsText(const ApiPlan &plan) {
  if (plan.start && plan.start->isRunning())
    return plan.now.name + " runs now, while the plan is made";
  if (plan.runsFirst())
    return plan.now.name + " stays in use, because the set-up " +
           (plan.start->wasCancelled() ? "was cancelled"
                                       : std::string("failed: ") + plan.start->error());
  const std::string runs = plan.now.host ? "plain CSR on the host" : plan.textNow();
  return runs + " runs" + beforeText(plan);
}

std::string reportOn(ApiPlan &plan) {
  takeOver(plan);
  std::string now = runsText(plan);
  if (plan.learning)
    now += plan.learning->report();
  if (plan.better)
    now += plan.better->report();
  if (plan.now.host && !plan.runsFirst()) // the text of the plan names what does not run
    now += "; a GPU would run '" + plan.now.text + "'";
  return plan.ratesNote.empty() ? now : now + "; " + plan.ratesNote;
}

// Names the kernels that run, and the state of the plan's own; null if no specmv kernels run.
static JsonText kernelsOf(const PlanProducts &now) {
  if (!now.gpu || !now.facts || !now.facts->hasKernel)
    return nullptr;
  const Specialization *const later = now.specialization.get();
  const bool isGeneral = now.facts->isGeneral && !(later && later->isOver());
  return JsonMembers{{"are", isGeneral ? "general" : "specialized"},
                     {"specialization", later ? JsonText(later->stateName()) : nullptr}};
}

std::string jsonOn(ApiPlan &plan) {
  const std::string report = reportOn(plan);
  const PlanProducts &now = plan.now;
  JsonMembers out;
  if (now.facts)
    out = factsJson(*now.facts, now.text, now.learnedUs);
  out["improvement"] = plan.better ? JsonText(plan.better->json()) : nullptr;
  out["kernels"] = kernelsOf(now);
  out["learning"] = plan.learning ? JsonText(plan.learning->json()) : nullptr;
  out["schema"] = 1;
  out["specmv"] = SPECMV_VERSION_TEXT;
  out["state"] = stateOf(plan);
  out["text"] = plan.textNow();
  out["report"] = report;
  out["target"] = now.gpu ? "gpu" : "host";
  out["type"] = nameOf(plan.type);
  out["vectorType"] = nameOf(plan.vectorType);
  out["createMs"] = plan.setupMs;
  out["bytes"] = plan.bytes();
  out["vectors"] = plan.vectorsNow();
  out["updatable"] = now.takesNewValues;
  out["capturable"] = now.gpu && now.facts && !now.facts->isLibraryCall;
  return out.text();
}

} // namespace specmv
