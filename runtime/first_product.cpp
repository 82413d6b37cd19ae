// Finds the first plan in place whose kernels need no compiler, and builds it.
#include "runtime/first_product.h"

#include "generator/setup/in_place.h"
#include "generator/setup/packing.h"
#include "generator/sources.h"
#include "runtime/worth.h"

namespace specmv {

// Ordered by speed: on an H200, over 60 matrices in two types, csr-merge was 1.88 times as fast as
// cuSPARSE's default in the geometric mean, and 0.93 times in the worst case.
constexpr const char *kInPlaceFormats[] = {"csr-merge", "cusparse-csr"};

static bool needsNoCompiler(const Format &format, const Plan &plan, const Problem &problem,
                            IndexType csrIndex, const Machine &machine) {
  return isReady(plan, problem, machine) &&
         isReady(*keptSource(format.inPlace->source, plan, problem, csrIndex), machine);
}

// nullopt if the plan is not available or does not take the matrix.
static llvm::Expected<std::optional<FirstProduct>>
tryInPlace(const SourceMatrix &a, const Plan &plan, const Problem &problem, Machine &machine) {
  auto built = buildInPlace(a, plan, problem, machine);
  if (built)
    return FirstProduct{std::move(built->plan), std::move(*built->product), a};
  auto [status, sentence] = describe(built.takeError());
  if (status == Status::notApplicable || isMissing(status))
    return std::nullopt;
  return failWith(status, sentence);
}

llvm::Expected<std::optional<FirstProduct>> firstProduct(const SourceMatrix &a,
                                                         const Problem &problem, Machine &machine) {
  const DeviceCsr csr = a.deviceCsr();
  for (const char *name : kInPlaceFormats) {
    const Format &format = *findFormat(name);
    if (format.library && (problem.scalarsAreOnGpu || problem.vectorsAreDouble))
      continue;
    for (const Plan &plan : format.inPlace->plans(csr, machine.model))
      if (needsNoCompiler(format, plan, problem, csr.indexType, machine)) {
        auto made = tryInPlace(a, plan, problem, machine);
        if (!made || *made)
          return made;
      }
  }
  return std::nullopt;
}

std::vector<Plan> plansAsItIs(const SourceMatrix &a, const Machine &machine) {
  return findFormat(kInPlaceFormats[0])->inPlace->plans(a.deviceCsr(), machine.model);
}

std::optional<Plan> planWithoutProfile(const SourceMatrix &a, const Request &request,
                                       const Machine &machine) {
  if (!machine.gpu || !request.weighsSetup() || request.problem.vectors > 1 ||
      !request.formats.empty() || request.maxBytes > 0 ||
      request.expectedProducts >= leastProductsToProfile(sizeOf(a.given()), machine))
    return std::nullopt;
  const Format &format = *findFormat(kInPlaceFormats[0]);
  const IndexType index = a.given().indexType;
  for (const Plan &plan : plansAsItIs(a, machine))
    if (isReady(plan, request.problem, machine) &&
        isReady(*keptSource(format.packing->source, plan, request.problem, index), machine))
      return plan;
  return std::nullopt;
}

} // namespace specmv
