// Packs ELL on the GPU (templates/pack/ell.cuh).
#include "generator/formats/ell/packing.h"

#include "generator/formats/ell/layout.h"
#include "generator/setup/longest.h"
#include "generator/shared/ell_packing.h"
#include "generator/shared/ell_part.h"
#include "generator/sources.h"

namespace specmv {

static KernelSource ellPackSource(const Plan &plan, const Problem &problem, IndexType csrIndex) {
  const DeviceCsr csr{{}, csrIndex, problem.type};
  return emitSetup("packing of ell", {kLongestHeader, kEllPackHeader},
                   {longestRowKernel(csr), ellFilling(csr, typesOf(plan, problem), 0).kernel});
}

static llvm::Expected<std::optional<Layout>> packEllOn(Workspace &w, const Plan &plan,
                                                       const Problem &problem) {
  const DeviceCsr &csr = w.csr();
  const SharedSource kernels = keptSource(ellPackSource, plan, problem, csr.indexType);
  auto longest = longestRowOn(w, *kernels);
  if (!longest)
    return longest.takeError();
  if (llvm::Error error = checkEll(plan, csr, *longest))
    return error;
  const int64_t width = plan.get(key::kEllWidth);
  return filledLayout(w, *kernels, ellFields(plan, problem, csr.rows, width),
                      {ellFilling(csr, typesOf(plan, problem), width)});
}

const Packing kEllPacking{ellPackSource, packEllOn};

} // namespace specmv
