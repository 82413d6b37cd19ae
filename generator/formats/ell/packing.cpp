// Packs ELL on the GPU (templates/pack/ell.cuh).
#include "generator/formats/ell/packing.h"

#include "generator/formats/ell/layout.h"
#include "generator/setup/row_order.h"
#include "generator/sources.h"

namespace specmv {

static KernelSource ellPackSource(const Plan &plan, const Problem &problem, IndexType csrIndex) {
  const DeviceCsr csr{{}, csrIndex, problem.type};
  const Leaves leaves = ellLeaves(plan, 0, 0);
  std::vector<SetupKernel> kernels = kernelsOf(fillingsOf(leaves, csr, plan, problem));
  kernels.insert(kernels.begin(), longestRowKernel(csr));
  std::vector<std::string> headers = packHeadersOf(leaves);
  headers.insert(headers.begin(), kLongestHeader);
  return emitSetup("packing of ell", headers, kernels);
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
  const Leaves leaves = ellLeaves(plan, csr.rows, csr.nnz);
  return filledLayout(w, *kernels, fieldsOf(leaves, plan, problem),
                      fillingsOf(leaves, csr, plan, problem));
}

const Packing kEllPacking{ellPackSource, packEllOn};

} // namespace specmv
