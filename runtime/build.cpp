// Packs the matrix for one plan, emits the source, finds or compiles the object, and loads it.
#include "runtime/build.h"

#include "generator/index_types.h"
#include "generator/setup/in_place.h"
#include "generator/sources.h"
#include "models/base/stage.h"
#include "runtime/kernels/objects.h"
#include "runtime/kernels/setup_kernels.h"
#include "runtime/measure/stopwatch.h"
#include "runtime/request.h"
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
static llvm::Error findUntimed(Built &out, const Problem &problem, Machine &machine) {
  const bool isAtHand = isReady(out.plan, problem, machine);
  if (machine.onlyPacks && !isAtHand) {
    llvm::Error lacking = notInPacks(out.plan, problem, machine);
    if (!machine.isFallback)
      return lacking;
    out.warnings.push_back(describe(std::move(lacking)).second); // the product needs none
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

static llvm::Error findObject(Built &out, const Problem &problem, Machine &machine) {
  if (out.source.text.empty())
    return llvm::Error::success();
  return timedWithoutCompile(out.ms, out.ms.find,
                             [&] { return findUntimed(out, problem, machine); });
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

// The kernel of the plan, loaded; an empty module if it has none. What the GPU has loaded already
// is not looked for in the cache.
static llvm::Expected<GpuModule> moduleOf(Built &out, const Problem &problem, Machine &machine) {
  if (out.source.text.empty())
    return GpuModule();
  if (GpuModule module = machine.gpu->loaded(out.source.digest)) {
    out.hit = true;
    return module;
  }
  if (llvm::Error error = findObject(out, problem, machine))
    return error;
  return timedWithoutCompile(out.ms, out.ms.load, [&] { return loadObject(out, machine); });
}

// A plan may come from another matrix, or from a cache that anybody may have filled. What builds it
// relies on this.
static llvm::Error checkCall(const Plan &plan, ValueType type, const Problem &problem) {
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

llvm::Expected<Layout> pack(const CsrView &a, const Plan &plan, const Problem &problem) {
  if (llvm::Error error = checkCall(plan, a.valueType, problem))
    return error;
  return findFormat(plan.format)->layout(a, plan, problem);
}

// Returns true if the plan can read the caller's arrays in place: they outlive the plan, and their
// types and layout are those that the plan reads.
static bool readsLent(const SourceMatrix &a, const Plan &plan, const Format &format) {
  const IndexTypes types = indexTypesOf(plan);
  const ElementType index = elementOf(a.given().indexType);
  return format.library && format.inPlace && a.isLent() && types.offset == index &&
         types.column == index;
}

static llvm::Expected<Layout> packInPlace(const SourceMatrix &a, const Plan &plan,
                                          const Problem &problem, Machine &machine,
                                          std::unique_ptr<GpuWorkspace> &workspace) {
  auto made = workspaceOf(a, machine);
  if (!made)
    return made.takeError();
  workspace = std::move(*made);
  return findFormat(plan.format)->inPlace->pack(*workspace, plan, problem);
}

// Packs for a product on the GPU. Packing runs on the GPU, in the workspace. It runs on the host if
// the format or the matrix requires that, or if no packing kernels are available.
static llvm::Expected<Layout> packForGpu(const SourceMatrix &a, const Plan &plan,
                                         const Problem &problem, Machine &machine,
                                         std::unique_ptr<GpuWorkspace> &workspace) {
  const Format &format = *findFormat(plan.format);
  if (readsLent(a, plan, format))
    return packInPlace(a, plan, problem, machine, workspace);
  if (format.packing) {
    auto made = workspaceOf(a, machine);
    if (!made)
      return made.takeError();
    workspace = std::move(*made);
    auto layout = unlessKernelsLack(*workspace, format.layoutOn(*workspace, plan, problem));
    if (!layout)
      return layout.takeError();
    if (*layout)
      return std::move(**layout);
    workspace.reset(); // the host packs instead
  }
  if (llvm::Error error = unlessCancelled(machine))
    return error;
  auto onHost = a.onHost();
  if (!onHost)
    return onHost.takeError();
  return pack(*onHost, plan, problem);
}

// Emits the kernels of `plan`, which is the plan of the layout or its general one.
static EmittedKernels emitted(const Plan &plan, const Problem &problem, const Layout &layout) {
  const Format *format = findFormat(plan.format);
  EmittedKernels out{.source = *keptSource(format->source, plan, problem),
                     .steps = format->steps(plan, problem, layout)};
  if (problem.vectors > 1 && format->several)
    out.several = format->several->steps(plan, problem, layout);
  return out;
}

static void emitInto(Built &out, const Problem &problem, const Machine &machine) {
  const Plan plan = timed(out.ms.find, [&] { return planOfKernels(out.plan, problem, machine); });
  timed(out.ms.emit, [&] {
    EmittedKernels kernels = emitted(plan, problem, out.layout);
    out.source = std::move(kernels.source);
    out.steps = std::move(kernels.steps);
    out.several = std::move(kernels.several);
    out.isGeneral = plan != out.plan;
  });
}

EmittedKernels specializedKernels(const Built &built) {
  return emitted(built.plan, built.problem, built.layout);
}

static llvm::Expected<Built> buildForHost(const CsrView &a, const Plan &plan,
                                          const Problem &problem, Machine &machine) {
  Built out;
  out.plan = plan;
  out.problem = problem;
  auto layout = timed(out.ms.pack, [&] { return pack(a, plan, problem); });
  if (!layout)
    return layout.takeError();
  out.layout = std::move(*layout);
  emitInto(out, problem, machine);
  if (llvm::Error error = findObject(out, problem, machine))
    return error;
  return out;
}

// `packing` is one of the two functions above.
static llvm::Expected<Built> buildForGpu(const SourceMatrix &a, const Plan &plan,
                                         const Problem &problem, Machine &machine,
                                         decltype(packForGpu) *packing) {
  Built out;
  out.plan = plan;
  out.problem = problem;
  std::unique_ptr<GpuWorkspace> workspace;
  // If this fails, the stream must be idle before the memory of `out` is freed.
  auto settle = llvm::make_scope_exit(
      [&] { llvm::consumeError(machine.gpu->synchronize(machine.setupStream)); });
  auto layout = timed(out.ms.pack, [&] { return packing(a, plan, problem, machine, workspace); });
  if (!layout)
    return layout.takeError();
  out.layout = std::move(*layout);
  emitInto(out, problem, machine);
  auto module = moduleOf(out, problem, machine);
  if (!module)
    return module.takeError();
  const auto take = [&](const std::string &name) { return workspace->take(name); };
  auto product = timed(out.ms.load, [&] {
    return GpuProduct::load(machine.gpu, out.layout, take, out.steps, std::move(*module), problem,
                            machine.setupStream);
  });
  if (!product)
    return product.takeError();
  out.product = std::move(*product);
  if (problem.vectors > 1)
    if (llvm::Error error = out.product->addSeveral(out.several, out.layout, problem,
                                                    a.given().cols, machine.setupStream))
      return error;
  // Wait for the packing, so that products may use any stream.
  if (llvm::Error error = timed(out.ms.pack, [&] {
        return workspace ? workspace->finish() : machine.gpu->synchronize(machine.setupStream);
      }))
    return error;
  settle.release();
  return out;
}

llvm::Expected<Built> build(const SourceMatrix &a, const Plan &plan, const Problem &problem,
                            Machine &machine) {
  if (llvm::Error error = unlessCancelled(machine))
    return error;
  if (llvm::Error error = checkCall(plan, a.given().valueType, problem))
    return error;
  const Format *format = findFormat(plan.format);
  if (format->library && !machine.gpu)
    return fail(Status::noGpu, "{0} runs only on a GPU: {1}", format->name, machine.whyHost);
  if (machine.gpu)
    return buildForGpu(a, plan, problem, machine, packForGpu);
  auto onHost = a.onHost();
  if (!onHost)
    return onHost.takeError();
  return buildForHost(*onHost, plan, problem, machine);
}

llvm::Expected<Built> buildInPlace(const SourceMatrix &a, const Plan &plan, const Problem &problem,
                                   Machine &machine) {
  if (llvm::Error error = checkCall(plan, a.given().valueType, problem))
    return error;
  return buildForGpu(a, plan, problem, machine, packInPlace);
}

} // namespace specmv
