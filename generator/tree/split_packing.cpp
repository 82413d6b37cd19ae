// Packs plans that are split by position on a GPU: counts the entries beyond the first K of each
// row, and lets the parts fill their arrays.
#include "generator/setup/workspace.h"
#include "generator/tree/split_by_position.h"

namespace specmv {

// Counts the tail of each row, which a scan turns into places.
static SetupLaunch tailCounting(const DeviceCsr &csr, int64_t k) {
  const ElementType index = elementOf(csr.indexType);
  return {setupKernel("tailCounts", "TailCountsArgs", {index},
                      {csrRowPtrOf(csr), filled("tailStart", index, kTailStart),
                       wideNumber("rows", csr.rows), wideNumber("k", k)}),
          ceilDiv(csr.rows, kSetupBlock)};
}

// A head without columns has nothing to fill.
static Leaves toFill(Leaves leaves, bool hasColumns) {
  if (!hasColumns)
    leaves.erase(leaves.begin());
  return leaves;
}

// Plans without a tail have its kernels as well, so that all plans share one object.
KernelSource SplitByPosition::packSource(const Plan &plan, const Problem &problem,
                                         IndexType csrIndex) const {
  const DeviceCsr csr{{}, csrIndex, problem.type};
  const Leaves filled = toFill(leaves(hasTail ? plan.with(*hasTail, 1) : plan), at.has_value());
  std::vector<SetupKernel> kernels = kernelsOf(fillingsOf(filled, csr, plan, problem));
  std::vector<std::string> headers = packHeadersOf(filled);
  if (at) {
    headers.insert(headers.begin(), kScanHeader);
    kernels.push_back(tailCounting(csr, 0).kernel);
    for (SetupKernel &kernel : scanKernels(kTailStart, elementOf(csrIndex)))
      kernels.push_back(std::move(kernel));
  }
  return emitSetup(std::string("packing of ") + format, headers, kernels);
}

// Fills the array of the places of the tail and returns the number of its entries.
static llvm::Expected<int64_t> findTail(Workspace &w, const KernelSource &kernels, int64_t k) {
  const DeviceCsr &csr = w.csr();
  const ElementType index = elementOf(csr.indexType);
  if (llvm::Error error = w.add(kTailStart, index, csr.rows + 1, Contents::undefined))
    return error;
  if (llvm::Error error = launchAll(w, kernels, {tailCounting(csr, k)}))
    return error;
  return scanCounts(w, kernels, kTailStart, index, csr.rows + 1);
}

llvm::Expected<std::optional<Layout>> SplitByPosition::packOn(const KernelSource &kernels,
                                                              Workspace &w, const Plan &plan,
                                                              const Problem &problem) const {
  const DeviceCsr &csr = w.csr();
  auto entries = at ? findTail(w, kernels, positionOf(plan)) : csr.nnz;
  if (!entries)
    return entries.takeError();
  if (llvm::Error error = check(plan, csr, {*entries}))
    return error;
  const Leaves parts = leaves(plan, csr, {*entries});
  auto out = filledLayout(w, kernels, fieldsOf(parts, plan, problem),
                          fillingsOf(toFill(parts, at.has_value()), csr, plan, problem));
  if (at)
    w.drop(kTailStart);
  return out;
}

} // namespace specmv
