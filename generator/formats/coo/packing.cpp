// Packs COO on the GPU: all entries as triplets.
#include "generator/formats/coo/packing.h"

#include "generator/formats/coo/layout.h"
#include "generator/shared/triplet_packing.h"
#include "generator/sources.h"

namespace specmv {

static std::vector<SetupLaunch> cooFillings(const DeviceCsr &csr, const Plan &plan,
                                            const Problem &problem) {
  return tripletFillings(csr, plan, problem, 0, cooTriplets(csr.nnz), kCsrRowPtr);
}

static KernelSource cooPackSource(const Plan &plan, const Problem &problem, IndexType csrIndex) {
  return emitSetup("packing of coo", {kTripletPackHeader},
                   kernelsOf(cooFillings({{}, csrIndex, problem.type}, plan, problem)));
}

static llvm::Expected<std::optional<Layout>> packCoo(Workspace &w, const Plan &plan,
                                                     const Problem &problem) {
  const DeviceCsr &csr = w.csr();
  if (llvm::Error error = checkIndexTypes(plan, csr.rows, csr.cols, csr.nnz))
    return error;
  return filledLayout(w, *keptSource(cooPackSource, plan, problem, csr.indexType),
                      cooFields(plan, problem, csr.rows, csr.nnz), cooFillings(csr, plan, problem));
}

const Packing kCooPacking{cooPackSource, packCoo, true};

} // namespace specmv
