// Makes products of a matrix without a set-up: of the arrays as they are, or of a copy on the host.
#include "runtime/api/first_products.h"

#include "models/base/error.h"
#include "runtime/plan/specialize.h"

namespace specmv {

static llvm::Expected<std::optional<PlanProducts>> firstOnHost(const SourceMatrix &a) {
  return andThen(a.copyOnHost(), [](std::shared_ptr<HostCopy> copy) {
    return std::optional(
        PlanProducts{.text = "csr", .name = "plain CSR on the host", .host = std::move(copy)});
  });
}

static std::optional<PlanProducts> ofGpu(std::optional<FirstProduct> first) {
  if (!first)
    return std::nullopt;
  return PlanProducts{.text = first->plan.text(),
                      .name = first->plan.format + " on the arrays as they are",
                      .gpu = std::move(first->product),
                      .matrix = std::move(first->matrix)};
}

llvm::Expected<std::optional<PlanProducts>> firstProducts(const SetupTask &task,
                                                          const SourceMatrix &a, Machine &machine) {
  // First products need no format; the set-up beside them must not find the error.
  if (llvm::Error error = checkAsked(task.request.formats, {}))
    return error;
  if (!machine.gpu)
    return firstOnHost(a);
  Problem problem = task.request.problem;
  problem.vectors = 1;
  return andThen(firstProduct(a, problem, machine), ofGpu);
}

} // namespace specmv
