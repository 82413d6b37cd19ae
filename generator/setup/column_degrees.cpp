// Launches the kernels of templates/profile/columns.cuh.
#include "generator/setup/column_degrees.h"

#include "generator/sources.h"

#include <algorithm>
#include <limits>

namespace specmv {

constexpr int64_t kDegreeCountsSize = int64_t{kMostCountedDegree} + 1;

std::vector<SetupLaunch> degreeLaunches(const DeviceCsr &csr) {
  return {{setupKernel("columnDegrees", "ColumnDegreesArgs", {elementOf(csr.indexType)},
                       {csrColOf(csr), filled("degrees", ElementType::u32, kDegrees),
                        wideNumber("nnz", csr.nnz)}),
           ceilDiv(csr.nnz, int64_t{kDegreeTile})},
          {setupKernel("degreeCounts", "DegreeCountsArgs", {},
                       {array("degrees", ElementType::u32, csr.cols, kDegrees),
                        filled("counts", ElementType::u32, kDegreeCounts),
                        wideNumber("cols", csr.cols)}),
           std::min(kFewBlocks, ceilDiv(csr.cols, int64_t{kSetupBlock}))}};
}

llvm::Error addDegrees(Workspace &w) {
  if (llvm::Error error = w.addScratch(kDegrees, ElementType::u32, w.csr().cols, Contents::zeros))
    return error;
  return w.addScratch(kDegreeCounts, ElementType::u32, kDegreeCountsSize, Contents::zeros);
}

void dropDegrees(Workspace &w) {
  w.drop(kDegrees);
  w.drop(kDegreeCounts);
}

static KernelSource emitColumns(IndexType index) {
  return emitSetup("the columns' numbers of entries", {kColumnsHeader},
                   kernelsOf(degreeLaunches({{}, index})));
}

const KernelSource &columnsSource(IndexType index) { return emittedOnce<emitColumns>(index); }

llvm::Expected<std::optional<ColumnDegrees>> columnDegreesOn(Workspace &w) {
  const DeviceCsr &csr = w.csr();
  if (csr.nnz > std::numeric_limits<uint32_t>::max())
    return std::nullopt;
  std::vector<uint32_t> counts(static_cast<size_t>(kDegreeCountsSize));
  if (llvm::Error error = addDegrees(w))
    return error;
  if (llvm::Error error = launchAll(w, columnsSource(csr.indexType), degreeLaunches(csr)))
    return error;
  if (llvm::Error error = w.read(kDegreeCounts, 0, kDegreeCountsSize, counts.data()))
    return error;
  dropDegrees(w);
  return degreesFrom(csr.cols, csr.nnz, counts);
}

} // namespace specmv
