// Packs CSR-vector on the GPU: the CSR arrays are copied or lent by the workspace.
#include "generator/formats/csr_vector/packing.h"

#include "generator/formats/csr_vector/layout.h"
#include "generator/setup/packing.h"
#include "generator/setup/workspace.h"
#include "generator/sources.h"

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
  const Types types = typesOf(plan, problem);
  auto rowPtrIsLent = lendRowPtr(w, types);
  if (!rowPtrIsLent)
    return rowPtrIsLent.takeError();
  auto areEntriesLent = lendEntries(w, types);
  if (!areEntriesLent)
    return areEntriesLent.takeError();
  std::vector<SetupLaunch> launches;
  std::vector<std::string> present;
  if (*rowPtrIsLent)
    present = {"rowPtr"};
  else
    launches.push_back(rowPtrCopy(csr, types));
  if (*areEntriesLent)
    present.insert(present.end(), {"col", "val"});
  else
    launches.push_back(entriesCopy(csr, types));
  return filledLayout(w, *keptSource(csrPackSource, plan, problem, csr.indexType),
                      csrVectorFields(plan, problem, csr.rows, csr.nnz), launches, present);
}

const Packing kCsrPacking{csrPackSource, packCsr, true, true};

} // namespace specmv
