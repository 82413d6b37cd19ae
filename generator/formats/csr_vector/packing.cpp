// Packs CSR-vector on the GPU: copies.
#include "generator/formats/csr_vector/packing.h"

#include "generator/formats/csr_vector/layout.h"
#include "generator/setup/filling.h"

namespace specmv {

static std::vector<SetupLaunch> csrCopies(const DeviceCsr &csr, const Types &types) {
  return {rowPtrCopy(csr, types), entriesCopy(csr, types)};
}

static KernelSource csrPackSource(const Plan &plan, const Problem &problem, IndexType csrIndex) {
  return emitSetup("packing of csr-vector", {kCopyHeader},
                   kernelsOf(csrCopies({{}, csrIndex, problem.type}, typesOf(plan, problem))));
}

static llvm::Expected<std::optional<Layout>> packCsr(Workspace &w, const Plan &plan,
                                                     const Problem &problem) {
  const DeviceCsr &csr = w.csr();
  if (llvm::Error error = checkIndexTypes(plan, csr.rows, csr.cols, csr.nnz))
    return error;
  return filledLayout(w, csrPackSource(plan, problem, csr.indexType),
                      csrVectorFields(plan, problem, csr.rows, csr.nnz),
                      csrCopies(csr, typesOf(plan, problem)));
}

const Packing kCsrPacking{csrPackSource, packCsr, true};

} // namespace specmv
