// Launches the kernel that checks CSR arrays (templates/setup/check.cuh).
#include "generator/setup/check.h"

#include "generator/setup/packing.h"
#include "generator/sources.h"

namespace specmv {

constexpr const char *kFaults = "faults";

static SetupKernel checkKernel(const DeviceCsr &csr) {
  const ElementType index = elementOf(csr.indexType);
  return setupKernel("checkCsr", "CheckCsrArgs", {index},
                     {csrRowPtrOf(csr), array(kCsrCol, index, csr.nnz),
                      scratch(kFaults, ElementType::i64, 1), wideNumber("rows", csr.rows),
                      wideNumber("cols", csr.cols), wideNumber("nnz", csr.nnz)});
}

static KernelSource emitCheck(IndexType index) {
  return emitSetup("check", {"setup/check.cuh"}, {checkKernel({{}, index, ValueType::f64})});
}

const KernelSource &checkSource(IndexType index) { return emittedOnce<emitCheck>(index); }

llvm::Expected<bool> formsMatrix(Workspace &w) {
  const DeviceCsr &csr = w.csr();
  if (llvm::Error error = w.addScratch(kFaults, ElementType::i64, 1, Contents::zeros))
    return error;
  // One block at least looks at the ends of rowPtr.
  const int64_t entries = std::max({csr.rows, csr.nnz, int64_t{1}}),
                blocks = std::min(kFewBlocks, ceilDiv(entries, kSetupBlock));
  if (llvm::Error error = w.launch(checkSource(csr.indexType), checkKernel(csr), blocks))
    return error;
  auto faults = readNumber(w, kFaults, ElementType::i64, 0);
  w.drop(kFaults);
  if (!faults)
    return faults.takeError();
  return *faults == 0;
}

} // namespace specmv
