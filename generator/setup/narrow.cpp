// Launches the kernel that copies CSR arrays to 32-bit indices (templates/setup/narrow.cuh).
#include "generator/setup/narrow.h"

#include "generator/setup/packing.h"
#include "models/base/lasting.h"
#include "models/base/parallel.h"

#include <algorithm>
#include <limits>

namespace specmv {

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
