// Packs merge-path CSR on the GPU (templates/pack/csr_merge.cuh): the path of each thread, the rows
// that blocks share, and the entries, which are copied or lent by the workspace.
#include "generator/formats/csr_merge/packing.h"

#include "generator/formats/csr_merge/layout.h"
#include "generator/setup/packing.h"
#include "generator/setup/workspace.h"
#include "generator/sources.h"

namespace specmv {

static SetupLaunch pathFilling(const DeviceCsr &csr, const Types &types, const MergeShape &shape) {
  // Even without paths, one block must write the first element of warpRow.
  const int64_t blocks = std::max<int64_t>(1, ceilDiv(shape.paths(), kSetupBlock));
  return {setupKernel(
              "mergeFill", "MergeFillArgs", {elementOf(csr.indexType), types.offset, shape.path()},
              {csrRowPtrOf(csr), filled("path", shape.path()), filled("warpRow", types.offset),
               wideNumber("rows", csr.rows), wideNumber("entries", csr.nnz),
               wideNumber("paths", shape.paths()), narrowNumber("items", shape.items)}),
          blocks};
}

static SetupLaunch mergeOpening(const DeviceCsr &csr, const MergeShape &shape) {
  const int64_t boundaries = shape.blocks + 1;
  return {setupKernel("mergeOpenRows", "MergeOpenRowsArgs", {elementOf(csr.indexType)},
                      {csrRowPtrOf(csr), filled("openFirst", ElementType::u32),
                       filled("openLast", ElementType::u32), wideNumber("rows", csr.rows),
                       wideNumber("entries", csr.nnz), wideNumber("share", shape.blockItems()),
                       wideNumber("boundaries", boundaries)}),
          ceilDiv(boundaries, kSetupBlock)};
}

// Launches that fill the arrays made from rowPtr and, as the last one, copy the entries.
static std::vector<SetupLaunch> mergeFillings(const DeviceCsr &csr, const Plan &plan,
                                              const Problem &problem) {
  const Types types = typesOf(plan, problem);
  const MergeShape shape(plan, csr.rows, csr.nnz);
  return {pathFilling(csr, types, shape), mergeOpening(csr, shape), entriesCopy(csr, types)};
}

KernelSource csrMergePackSource(const Plan &plan, const Problem &problem, IndexType csrIndex) {
  return emitSetup("packing of csr-merge", {"pack/csr_merge.cuh", kCopyHeader},
                   kernelsOf(mergeFillings({{}, csrIndex, problem.type}, plan, problem)));
}

// Makes the layout with lent entries or with copies of them.
static llvm::Expected<Layout> mergeLayout(Workspace &w, const Plan &plan, const Problem &problem,
                                          bool areLent) {
  const DeviceCsr &csr = w.csr();
  std::vector<SetupLaunch> launches = mergeFillings(csr, plan, problem);
  std::vector<std::string> present;
  if (areLent) {
    launches.pop_back(); // the copy
    present = {"col", "val"};
  }
  return filledLayout(w, *keptSource(csrMergePackSource, plan, problem, csr.indexType),
                      csrMergeFields(plan, problem, csr.rows, csr.nnz), launches, present);
}

static llvm::Error checkMerge(const DeviceCsr &csr, const Plan &plan) {
  return checkIndexTypes(plan, csr.rows, csr.cols, csr.rows + csr.nnz);
}

static llvm::Expected<std::optional<Layout>> packCsrMerge(Workspace &w, const Plan &plan,
                                                          const Problem &problem) {
  if (llvm::Error error = checkMerge(w.csr(), plan))
    return error;
  auto areLent = lendEntries(w, typesOf(plan, problem));
  if (!areLent)
    return areLent.takeError();
  return mergeLayout(w, plan, problem, *areLent);
}

llvm::Expected<Layout> packCsrMergeInPlace(Workspace &w, const Plan &plan, const Problem &problem) {
  if (llvm::Error error = checkMerge(w.csr(), plan))
    return error;
  for (const auto &[lent, as] : {std::pair(kCsrCol, "col"), std::pair(kCsrVal, "val")})
    if (llvm::Error error = w.lend(lent, as))
      return error;
  return mergeLayout(w, plan, problem, true);
}

const Packing kCsrMergePacking{csrMergePackSource, packCsrMerge, true, true};

} // namespace specmv
