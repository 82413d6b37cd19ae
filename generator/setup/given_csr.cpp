// Launches the kernels that check CSR arrays and copy them to 32-bit indices.
#include "generator/setup/given_csr.h"

#include "generator/setup/packing.h"
#include "generator/sources.h"
#include "models/base/lasting.h"
#include "models/base/parallel.h"

#include <algorithm>
#include <limits>

namespace specmv {

// --- Check ---------------------------------------------------------------------------------------

// Launches the kernel that checks CSR arrays (templates/setup/check.cuh).

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

// --- Narrow --------------------------------------------------------------------------------------

// Launches the kernel that copies CSR arrays to 32-bit indices (templates/setup/narrow.cuh).

constexpr int64_t kMostNarrow = std::numeric_limits<int32_t>::max();

IndexType setupIndex(const MatrixSize &a, IndexType given) {
  return std::max({a.rows, a.cols, a.nnz}) <= kMostNarrow ? IndexType::i32 : given;
}

static SetupKernel narrowKernel(const DeviceCsr &csr) {
  return setupKernel("narrowCsr", "NarrowArgs", {},
                     {csrRowPtrOf(csr), csrColOf(csr),
                      filled("rowPtr", ElementType::i32, kNarrowRowPtr),
                      filled("col", ElementType::i32, kNarrowCol), wideNumber("rows", csr.rows),
                      wideNumber("nnz", csr.nnz)});
}

const KernelSource &narrowSource() {
  static const Lasting<KernelSource> source([] {
    return emitSetup("64-bit indices in 32 bits", {"setup/narrow.cuh"},
                     {narrowKernel({{}, IndexType::i64, ValueType::f64})});
  });
  return *source;
}

llvm::Error narrowOn(Workspace &w) {
  const DeviceCsr &csr = w.csr();
  if (llvm::Error error = w.add(kNarrowRowPtr, ElementType::i32, csr.rows + 1, Contents::undefined))
    return error;
  if (llvm::Error error = w.add(kNarrowCol, ElementType::i32, csr.nnz, Contents::undefined))
    return error;
  const int64_t blocks = ceilDiv(std::max(csr.rows + 1, csr.nnz), int64_t{kSetupBlock});
  return w.launch(narrowSource(), narrowKernel(csr), std::min(blocks, 8 * kFewBlocks));
}

void narrowOnHost(const int64_t *from, int64_t count, int32_t *to) {
  constexpr int64_t kGrain = 1 << 16;
  parallelFor(count, kGrain, [&](int64_t begin, int64_t end) {
    std::transform(from + begin, from + end, to + begin, [](int64_t number) {
      return number < 0 || number > kMostNarrow ? -1 : static_cast<int32_t>(number);
    });
  });
}

} // namespace specmv
