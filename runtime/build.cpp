// Packs the matrix for one plan, emits the source, finds or compiles the object, and loads it.
#include "runtime/build.h"

#include "generator/coding/coding.h"
#include "generator/index_types.h"
#include "generator/setup/packing.h"
#include "generator/sources.h"
#include "models/base/stage.h"
#include "runtime/kernels/objects.h"
#include "runtime/measure/stopwatch.h"
#include "runtime/plan/session.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

namespace specmv {

BuildTimes &BuildTimes::operator+=(const BuildTimes &other) {
  pack += other.pack;
  emit += other.emit;
  find += other.find;
  compile += other.compile;
  load += other.load;
  return *this;
}

// Takes over the object that was found or compiled.
static void keep(Built &out, KernelObject found) {
  out.key = std::move(found.key);
  out.object = std::move(found.object);
  out.hit = found.hit;
  out.ms.compile += found.compileMs;
  llvm::append_range(out.warnings, found.warnings);
}

// Returns true if a machine without a GPU need not compile: kernels are not requested, or no cache
// would keep them.
static bool sparesKernels(Machine &machine) {
  return machine.hostKernels == HostKernels::none ||
         (machine.hostKernels == HostKernels::kept && !machine.cache.mayStore());
}

// Gets the object of the source, if the plan has one, from the cache or by compiling. A product
// that runs on the host needs no object, so failures are warnings there. Only an architecture that
// NVRTC cannot compile for stays an error.
static llvm::Error findUntimed(Built &out, Machine &machine) {
  const bool isAtHand = isReady(out.plan, out.problem, machine);
  if (machine.onlyPacks && !isAtHand) { // the product runs on the host and needs none
    out.warnings.push_back(describe(notInPacks(out.plan, out.problem, machine)).second);
    return llvm::Error::success();
  }
  if (!machine.gpu && !isAtHand && sparesKernels(machine))
    return llvm::Error::success();
  const Stage stage("compiling " + out.plan.format);
  auto found = findOrCompile(out.source, out.plan.format, machine);
  if (found) {
    keep(out, std::move(*found));
    return llvm::Error::success();
  }
  if (machine.gpu)
    return found.takeError();
  auto [status, sentence] = describe(found.takeError());
  if (status == Status::badCall)
    return failWith(status, sentence);
  out.warnings.push_back("no kernel was compiled: " + sentence);
  return llvm::Error::success();
}

// Adds the time of an action to one of the times, and what it compiles only to that of compiling.
template <class Action>
static auto timedWithoutCompile(BuildTimes &all, double &ms, const Action &action) {
  const double before = all.compile;
  auto result = timed(ms, action);
  ms -= all.compile - before;
  return result;
}

static llvm::Error findObject(Built &out, Machine &machine) {
  if (out.source.text.empty())
    return llvm::Error::success();
  return timedWithoutCompile(out.ms, out.ms.find, [&] { return findUntimed(out, machine); });
}

// Loads the object on the GPU. If an object from the cache cannot be loaded, it is compiled again
// and replaced, if anything may be compiled.
static llvm::Expected<GpuModule> loadObject(Built &out, Machine &machine) {
  auto module = machine.gpu->load(out.object->cubin, out.source.digest);
  if (module || !out.hit)
    return module;
  auto [status, sentence] = describe(module.takeError());
  // The driver reports a corrupt object as an internal error.
  if (status != Status::internal || machine.onlyPacks)
    return failWith(status, sentence);
  out.warnings.push_back("the cached object " + out.key.id +
                         " cannot be loaded, so it is compiled again: " + sentence);
  auto made = compileObject(out.source, out.plan.format, machine);
  if (!made)
    return made.takeError();
  keep(out, std::move(*made));
  return machine.gpu->load(out.object->cubin, out.source.digest);
}

// Returns the plan's kernel, loaded, or an empty module if it has none. A kernel that the GPU has
// loaded already is not looked for in the cache.
static llvm::Expected<GpuModule> moduleOf(Built &out, Machine &machine) {
  if (out.source.text.empty())
    return GpuModule();
  if (GpuModule module = machine.gpu->loaded(out.source.digest)) {
    out.hit = true;
    return module;
  }
  if (llvm::Error error = findObject(out, machine))
    return error;
  return timedWithoutCompile(out.ms, out.ms.load, [&] { return loadObject(out, machine); });
}

// Checks the plan, which may come from another matrix or from a cache that anybody may have filled.
// Packing and launching rely on this check.
static llvm::Error checkPlanFor(const Plan &plan, ValueType type, const Problem &problem) {
  const Format *format = findFormat(plan.format);
  if (!format)
    return fail(Status::badCall, "unknown format '{0}'", plan.format);
  if (type != problem.type)
    return fail(
        Status::badCall,
        "the values of the matrix are {0}, but the problem is in {1}; both must be the same",
        nameOf(type), nameOf(problem.type));
  return format->check(plan, problem);
}

// Refuses a plan that this machine cannot build, before the matrix is packed.
static llvm::Error checkPlace(const Built &out, const Session &session) {
  const Machine &machine = session.machine;
  const Format &format = *findFormat(out.plan.format);
  if (format.library && !machine.gpu)
    return fail(Status::noGpu, "{0} runs only on a GPU: {1}", format.name, machine.whyHost);
  if (session.request.takesNewValues)
    if (llvm::Error error = checkNewValues(out.plan))
      return error;
  const bool mustBePacked = machine.onlyPacks && !machine.isFallback;
  return mustBePacked && !isReady(out.plan, out.problem, machine)
             ? notInPacks(out.plan, out.problem, machine)
             : llvm::Error::success();
}

llvm::Expected<Layout> pack(const CsrView &a, const Plan &plan, const Problem &problem,
                            const Order *order) {
  if (llvm::Error error = checkPlanFor(plan, a.valueType, problem))
    return error;
  return findFormat(plan.format)->layout(a, plan, problem, {.order = order});
}

// Returns true if the plan can read the caller's arrays in place: they outlive the plan, and their
// types and layout are those that the plan reads.
static bool readsLent(const SourceMatrix &a, const Plan &plan, const Format &format) {
  const IndexTypes types = indexTypesOf(plan);
  const ElementType index = elementOf(a.given().indexType);
  return format.library && format.inPlace && a.isLent() && types.offset == index &&
         types.column == index;
}

// Checks the limit for a plan that the caller gave. Others are chosen within it, by prediction.
static llvm::Error checkBytes(const Built &built, const Request &request) {
  const int64_t bytes = built.layout.storedBytes();
  if (!request.plan || request.maxBytes == 0 || bytes <= request.maxBytes)
    return llvm::Error::success();
  return fail(Status::overMaxBytes,
              "the plan '{0}' stores {1} bytes, more than the limit, {2}; raise maxBytes",
              built.plan.text(), bytes, request.maxBytes);
}

// Packs in the session's workspace. nullopt if the host must pack, because the format or the matrix
// requires that, or no packing kernels are available.
static llvm::Expected<std::optional<Layout>> packOnGpu(Session &session, const Proposal &proposal) {
  const Plan &plan = proposal.plan;
  const Format &format = *findFormat(plan.format);
  const Problem &problem = session.request.problem;
  if (proposal.isInPlace || readsLent(session.matrix, plan, format))
    return session.onGpu(
        [&](Workspace &w) -> llvm::Expected<std::optional<Layout>> {
          return format.layoutInPlace(w, plan, problem);
        },
        Session::Arrays::inPlace);
  if (!format.packing)
    return std::nullopt;
  if (!plan.order.empty())
    if (llvm::Error error = session.order().takeError())
      return error;
  return session.onGpu(
      [&](Workspace &w) { return format.layoutOn(w, plan, problem, session.knownFacts()); });
}

static llvm::Expected<Layout> packed(Session &session, const Proposal &proposal) {
  if (proposal.isInPlace && !session.machine.gpu) // the host multiplies by CSR
    return findFormat(proposal.plan.format)
        ->describedInPlace(session.matrix.deviceCsr(), proposal.plan, session.request.problem);
  return session.elseOnHost(packOnGpu(session, proposal), [&](const CsrView &a) {
    return pack(a, proposal.plan, session.request.problem, session.knownOrder());
  });
}

// Emits the kernels of `plan`, which is the plan of the layout or its general one.
static EmittedKernels emitted(const Plan &plan, const Problem &problem, const Layout &layout) {
  const Format *format = findFormat(plan.format);
  EmittedKernels out{.source = *keptSource(format->source, plan, problem),
                     .steps = format->stepsFor(plan, problem, layout)};
  if (problem.vectors > 1 && format->several)
    out.several = format->several->steps(plan, problem, layout);
  return out;
}

static void emitInto(Built &out, const Machine &machine) {
  const Plan plan =
      timed(out.ms.find, [&] { return planOfKernels(out.plan, out.problem, machine); });
  timed(out.ms.emit, [&] {
    EmittedKernels kernels = emitted(plan, out.problem, out.layout);
    out.source = std::move(kernels.source);
    out.steps = std::move(kernels.steps);
    out.several = std::move(kernels.several);
    out.isGeneral = plan != out.plan;
  });
}

EmittedKernels specializedKernels(const Built &built) {
  return emitted(built.plan, built.problem, built.layout);
}

// Loads the product with the arrays that were packed in the workspace or on the host.
static llvm::Error loadProduct(Built &out, Session &session) {
  Machine &machine = session.machine;
  const auto take = [&](const std::string &name) { return session.take(name); };
  const auto load = [&](GpuModule module) {
    return timed(out.ms.load, [&] {
      return GpuProduct::load(machine.gpu, out.layout, take, out.steps, std::move(module),
                              out.problem, machine.setupStream)
          .moveInto(out.product);
    });
  };
  const auto addSeveral = [&] {
    return out.problem.vectors == 1
               ? llvm::Error::success()
               : out.product->addSeveral(out.several, out.layout, out.problem, session.given().cols,
                                         machine.setupStream);
  };
  return inTurn([&] { return andThen(moduleOf(out, machine), load); }, addSeveral);
}

llvm::Expected<GpuModule> loadKernels(Built &out, Machine &machine) {
  if (machine.onlyPacks && !isReady(out.plan, out.problem, machine))
    return notInPacks(out.plan, out.problem, machine);
  emitInto(out, machine);
  return moduleOf(out, machine);
}

static llvm::Error findKernels(Built &out, Session &session) {
  emitInto(out, session.machine);
  return session.machine.gpu ? loadProduct(out, session) : findObject(out, session.machine);
}

// Packs, unless build() would refuse the plan before or after that.
static llvm::Error packInto(Built &out, Session &session, const Proposal &proposal) {
  out.plan = proposal.plan;
  out.problem = session.request.problem;
  const auto packing = [&] { return packed(session, proposal).moveInto(out.layout); };
  return inTurn([&] { return unlessCancelled(session.machine); },
                [&] { return checkPlanFor(out.plan, session.given().valueType, out.problem); },
                [&] { return checkPlace(out, session); },
                [&] { return timed(out.ms.pack, packing); },
                [&] { return checkBytes(out, session.request); });
}

llvm::Expected<int64_t> bytesPacked(Session &session, const Plan &plan) {
  Built out;
  llvm::Error error = packInto(out, session, {.plan = plan});
  error = llvm::joinErrors(std::move(error), session.finish());
  if (error)
    return error;
  return out.layout.storedBytes();
}

llvm::Expected<Built> build(Session &session, const Proposal &proposal) {
  Built out;
  // If this fails, the stream must be idle before the memory of `out` is freed.
  auto settle = llvm::make_scope_exit([&] { llvm::consumeError(session.finish()); });
  // Waits for the packing, so that products may use any stream.
  const auto finish = [&] { return session.finish(); };
  if (llvm::Error error = inTurn([&] { return packInto(out, session, proposal); },
                                 [&] { return findKernels(out, session); },
                                 [&] { return timed(out.ms.pack, finish); }))
    return error;
  settle.release();
  return out;
}

llvm::Expected<Built> build(const SourceMatrix &a, const Plan &plan, const Problem &problem,
                            Machine &machine) {
  Request request;
  request.problem = problem;
  Session session(a, std::move(request), machine);
  return build(session, {.plan = plan});
}

} // namespace specmv
