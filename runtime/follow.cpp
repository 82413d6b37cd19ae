// Checks the arrays of a matrix, then builds it by a plan.
#include "runtime/follow.h"

#include "generator/setup/check.h"
#include "models/csr_check.h"
#include "runtime/kernels/setup_kernels.h"

namespace specmv {

// nullopt if the host must check, because the kernel is not available.
static llvm::Expected<std::optional<bool>> formsMatrixOnGpu(const SourceMatrix &a,
                                                            Machine &machine) {
  auto workspace = workspaceOf(a, machine);
  if (!workspace)
    return workspace.takeError();
  return unlessKernelsLack<bool>(**workspace, formsMatrix(**workspace));
}

static llvm::Expected<bool> isMatrix(const SourceMatrix &a, Machine &machine) {
  if (machine.gpu) {
    auto good = formsMatrixOnGpu(a, machine);
    if (!good)
      return good.takeError();
    if (*good)
      return **good;
  }
  if (llvm::Error error = unlessCancelled(machine))
    return error;
  auto onHost = a.onHost();
  if (!onHost)
    return onHost.takeError();
  return !llvm::errorToBool(checkCsr(*onHost));
}

llvm::Expected<std::optional<Built>> follow(const Plan &plan, const SourceMatrix &a,
                                            const Problem &problem, Machine &machine) {
  auto good = isMatrix(a, machine);
  if (!good)
    return good.takeError();
  if (!*good)
    return std::nullopt;
  auto built = build(a, plan, problem, machine);
  if (built)
    return std::move(*built);
  auto [status, sentence] = describe(built.takeError());
  if (status == Status::notApplicable || isMissing(status))
    return std::nullopt;
  return failWith(status, sentence);
}

} // namespace specmv
