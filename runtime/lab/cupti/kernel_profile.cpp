// Times and counts the plans of one matrix, one after another on the same vectors.
#include "runtime/lab/cupti/kernel_profile.h"

#include "runtime/lab/bench/bench.h"
#include "runtime/measure/measure.h"

namespace specmv {

std::vector<KernelProfile> bestPlans(const Ranked &ranked) {
  std::vector<KernelProfile> out;
  for (const Offer &offer : ranked.offers) {
    KernelProfile kernel{.format = offer.format->name, .why = offer.why};
    for (const Candidate &candidate : ranked.candidates)
      if (candidate.plan.format == kernel.format) {
        kernel.plan = candidate.plan;
        break;
      }
    out.push_back(std::move(kernel));
  }
  return out;
}

namespace {
// A plan on the device, ready to multiply.
struct Subject {
  const CsrView &a;
  const Problem &problem;
  Machine &machine;
  DeviceVectors vectors;
  Built built;

  Enqueue product() const { return enqueue(*built.product, vectors); }
};
} // namespace

static llvm::Error time(Subject &subject, const Verifier &verifier, KernelProfile &kernel) {
  auto us = measureWarm(*subject.machine.gpu, subject.product());
  if (!us)
    return us.takeError();
  setTime(kernel.metrics, *us, subject.a.nnz);
  auto checked = verifier.check(checkedProduct(subject.a, subject.machine, subject.built));
  if (!checked)
    return checked.takeError();
  if (!checked->passed())
    return fail(Status::badInput, "{0} gives a wrong product", kernel.plan.text());
  return llvm::Error::success();
}

static llvm::Error count(Subject &subject, KernelProfile &kernel) {
  auto counted = countDuring(subject.product(), *subject.machine.gpu, kernelCounters());
  if (!counted)
    return counted.takeError();
  kernel.counted = std::move(*counted);
  setCounted(kernel.metrics, kernel.counted.values);
  return llvm::Error::success();
}

// Calls `what` for each plan that can be built; sets `why` of the others.
static llvm::Error forEachKernel(const CsrView &a, const Problem &problem, Machine &machine,
                                 std::vector<KernelProfile> &kernels,
                                 llvm::function_ref<llvm::Error(Subject &, KernelProfile &)> what) {
  for (KernelProfile &kernel : kernels) {
    if (!kernel.why.empty())
      continue;
    auto built = build(a, kernel.plan, problem, machine);
    if (!built) {
      kernel.why = describe(built.takeError()).second;
      continue;
    }
    auto vectors = DeviceVectors::make(*machine.gpu, a.rows, a.cols, a.valueType);
    if (!vectors)
      return vectors.takeError();
    Subject subject{a, problem, machine, std::move(*vectors), std::move(*built)};
    if (llvm::Error error = what(subject, kernel))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error timeKernels(const CsrView &a, const Problem &problem, Machine &machine,
                        std::vector<KernelProfile> &kernels) {
  const Verifier verifier(a, problem.betaCanBeNonZero);
  return forEachKernel(a, problem, machine, kernels, [&](Subject &subject, KernelProfile &kernel) {
    return time(subject, verifier, kernel);
  });
}

llvm::Error countKernels(const CsrView &a, const Problem &problem, Machine &machine,
                         std::vector<KernelProfile> &kernels) {
  return forEachKernel(a, problem, machine, kernels, count);
}

} // namespace specmv
