// Finds which kernels a build for a plan uses, and whether they are loaded, in a pack or in the
// cache.
#include "runtime/kernels/at_hand.h"

#include "generator/coding/encode.h"
#include "generator/format.h"
#include "generator/order/ordered_product.h"
#include "generator/order/permute.h"
#include "generator/order/search.h"
#include "generator/setup/in_place.h"
#include "generator/setup/packing.h"
#include "runtime/cusparse/cusparse.h"
#include "runtime/kernels/objects.h"
#include "runtime/plan/request.h"
#include "llvm/ADT/STLExtras.h"

namespace specmv {

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

} // namespace specmv
