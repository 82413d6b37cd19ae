// Finds which kernels a build uses and whether they are loaded, and compiles those that are
// missing.
#include "runtime/kernels/at_hand.h"

#include "generator/coding/encode.h"
#include "generator/format.h"
#include "generator/order/ordered_product.h"
#include "generator/order/permute.h"
#include "generator/order/search.h"
#include "generator/setup/packing.h"
#include "models/base/parallel.h"
#include "models/base/stage.h"
#include "runtime/cusparse/cusparse.h"
#include "runtime/kernels/objects.h"
#include "runtime/measure/stopwatch.h"
#include "runtime/plan/request.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <mutex>

namespace specmv {

// --- At hand -------------------------------------------------------------------------------------

// Finds which kernels a build for a plan uses, and whether they are loaded, in a pack or in the
// cache.

KernelState stateOf(const KernelSource &source, const Machine &machine) {
  if (source.text.empty() || (machine.gpu && machine.gpu->loaded(source.digest)))
    return KernelState::loaded;
  return isCached(keyOfObject(source, machine), machine) ? KernelState::ready
                                                         : KernelState::missing;
}

Plan planOfKernels(const Plan &plan, const Problem &problem, const Machine &machine) {
  const Format &format = *findFormat(plan.format);
  if (!format.general || machine.kernels == KernelKind::specialized)
    return plan;
  Plan general = format.general(plan);
  if (machine.kernels == KernelKind::general)
    return general;
  const SharedSource own = keptSource(format.source, plan, problem),
                     other = keptSource(format.source, general, problem);
  // Looking for an object reads it, so the loaded ones are asked first.
  const auto hasLoaded = [&](const KernelSource &source) {
    return machine.gpu && machine.gpu->loaded(source.digest);
  };
  if (hasLoaded(*own))
    return plan;
  if (hasLoaded(*other))
    return general;
  return isReady(*own, machine) || !isReady(*other, machine) ? plan : general;
}

SharedSource sourceOfKernels(const Plan &plan, const Problem &problem, const Machine &machine) {
  return keptSource(findFormat(plan.format)->source, planOfKernels(plan, problem, machine),
                    problem);
}

bool isReady(const KernelSource &source, const Machine &machine) {
  return stateOf(source, machine) != KernelState::missing;
}

bool holdsForKernels(const Plan &plan, const Problem &problem, const Machine &machine,
                     SetupPart part, IndexType csrIndex,
                     llvm::function_ref<bool(const SharedSource &, const std::string &)> holds) {
  if (!holds(sourceOfKernels(plan, problem, machine), plan.format))
    return false;
  const Format &format = *findFormat(plan.format);
  decltype(Packing::source) source = nullptr;
  if (part == SetupPart::inPlace)
    source = format.inPlace->source;
  else if (part == SetupPart::packing && format.packing)
    source = format.packing->source;
  if (!source)
    return true;
  if (!holds(keptSource(source, unordered(plan), problemOfPacking(plan, problem), csrIndex),
             "setup"))
    return false;
  std::vector<const KernelSource *> further = codingSources(plan, problem.type, csrIndex);
  if (!plan.order.empty())
    further.insert(further.end(),
                   {&searchSource(csrIndex), &permuteSource(csrIndex, problem.type)});
  return llvm::all_of(further, [&](const KernelSource *each) {
    return holds(SharedSource(SharedSource(), each), "setup"); // which outlives the program's plans
  });
}

bool isReady(const Plan &plan, const Problem &problem, const Machine &machine) {
  return isReady(plan, problem, machine, SetupPart::none, IndexType::i32);
}

bool isReady(const Plan &plan, const Problem &problem, const Machine &machine, SetupPart part,
             IndexType csrIndex) {
  return holdsForKernels(
      plan, problem, machine, part, csrIndex,
      [&](const SharedSource &source, const std::string &) { return isReady(*source, machine); });
}

bool isWhollyReady(const Plan &plan, const Problem &problem, IndexType csrIndex,
                   const Machine &machine) {
  if (findFormat(plan.format)->library)
    return cusparseIsOpen();
  return isReady(plan, problem, machine, machine.gpu ? SetupPart::packing : SetupPart::none,
                 csrIndex);
}

bool isLoaded(const Plan &plan, const Problem &problem, IndexType csrIndex,
              const Machine &machine) {
  return holdsForKernels(plan, problem, machine, SetupPart::packing, csrIndex,
                         [&](const SharedSource &source, const std::string &) {
                           return stateOf(*source, machine) == KernelState::loaded;
                         });
}

// Returns the options with which pregen compiles kernels for this problem.
static std::string pregenOptionsFor(const Problem &problem) {
  std::string out = problem.betaCanBeNonZero ? "" : " --beta-is-zero";
  if (problem.vectors > 1)
    out += " --vectors " + std::to_string(problem.vectors);
  if (const std::string options = kernelOptionsOf(problem); !options.empty())
    out += " --with " + options;
  return out;
}

llvm::Error notInPacks(const Plan &plan, const Problem &problem, const Machine &machine) {
  return fail(Status::notInPacks,
              "no pack has the kernel of '{0}' in {1} for {2}, and only packs are allowed; make a "
              "pack with 'specmv pregen -o PACK --arch {2} --type {1}{3} --plan \"{0}\"' and name "
              "it in SPECMV_CACHE_PATH, or allow compiling",
              plan.text(), nameOf(problem.type), machine.arch, pregenOptionsFor(problem));
}

// --- Ahead ---------------------------------------------------------------------------------------

// Finds the missing sources of several plans, each once, and compiles them in parallel.

namespace {
struct Lacking {
  SharedSource source;
  std::string label;
};
} // namespace

static std::vector<Lacking> lackingOf(llvm::ArrayRef<Plan> plans, const Problem &problem,
                                      IndexType csrIndex, const Machine &machine) {
  std::map<std::string, Lacking> byText;
  const auto add = [&](const SharedSource &source, const std::string &label) {
    if (!byText.contains(source->text) && stateOf(*source, machine) == KernelState::missing)
      byText.emplace(source->text, Lacking{source, label});
    return true;
  };
  for (const Plan &plan : plans)
    holdsForKernels(plan, problem, machine, machine.gpu ? SetupPart::packing : SetupPart::none,
                    csrIndex, add);
  std::vector<Lacking> out;
  out.reserve(byText.size());
  for (auto &[text, lacking] : byText)
    out.push_back(std::move(lacking));
  return out;
}

CompiledAhead compileAhead(llvm::ArrayRef<Plan> plans, const Problem &problem, IndexType csrIndex,
                           const Machine &machine) {
  CompiledAhead out;
  if (machine.onlyPacks)
    return out;
  const Stopwatch watch;
  const std::vector<Lacking> lacking = lackingOf(plans, problem, csrIndex, machine);
  std::mutex mutex;
  Stage stage("compiling kernels", Stage::Counts::pieces, static_cast<int64_t>(lacking.size()));
  parallelFor(static_cast<int64_t>(lacking.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto &[source, label] = lacking[static_cast<size_t>(i)];
      Machine mine = machine;
      auto found = findOrCompile(*source, label, mine);
      stage.advance(1);
      if (!found) {
        llvm::consumeError(found.takeError());
        continue;
      }
      const std::lock_guard<std::mutex> lock(mutex);
      llvm::append_range(out.warnings, found->warnings);
      if (!found->hit) // otherwise another process compiled it first
        out.objects.emplace(found->key.id, std::move(found->object));
    }
  });
  out.ms = watch.milliseconds();
  return out;
}

} // namespace specmv
