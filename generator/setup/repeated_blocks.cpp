// Launches the kernel of templates/profile/block_samples.cuh, and counts the hashes that it found.
#include "generator/setup/repeated_blocks.h"

#include "generator/setup/packing.h"
#include "generator/sources.h"
#include "templates/profile/block_features.cuh"

namespace specmv {

constexpr const char *kBlockHashes = "blockHashes";

static SetupKernel blockSamplesKernel(const DeviceCsr &csr, int64_t r, int64_t c) {
  const ElementType index = elementOf(csr.indexType),
                    word = csr.valueType == ValueType::f32 ? ElementType::u32 : ElementType::u64;
  return setupKernel(
      "sampleBlocks", "SampleBlocksArgs", {index, word},
      {csrRowPtrOf(csr), array(kCsrCol, index, csr.nnz), array(kCsrVal, word, csr.nnz),
       filled("hashes", ElementType::u64, kBlockHashes), wideNumber("rows", csr.rows),
       wideNumber("nnz", csr.nnz), narrowNumber("r", r), narrowNumber("c", c)});
}

template <IndexType index> static KernelSource emitBlockSamples(ValueType type) {
  return emitSetup("samples of blocks", {"profile/block_samples.cuh"},
                   {blockSamplesKernel({{}, index, type}, 1, 1)});
}

const KernelSource &blockSamplesSource(IndexType index, ValueType type) {
  return index == IndexType::i32 ? emittedOnce<emitBlockSamples<IndexType::i32>>(type)
                                 : emittedOnce<emitBlockSamples<IndexType::i64>>(type);
}

static llvm::Error readSamples(Workspace &w, int64_t r, int64_t c, std::vector<uint64_t> &to) {
  const DeviceCsr &csr = w.csr();
  const auto samples = std::ssize(to);
  if (llvm::Error error =
          w.addScratch(kBlockHashes, ElementType::u64, samples, Contents::undefined))
    return error;
  if (llvm::Error error =
          w.launch(blockSamplesSource(csr.indexType, csr.valueType), blockSamplesKernel(csr, r, c),
                   ceilDiv(samples, int64_t{kSetupBlock})))
    return error;
  return w.read(kBlockHashes, 0, samples, to.data());
}

llvm::Expected<std::optional<RepeatedBlocks>> repeatedBlocksOn(Workspace &w, int64_t r, int64_t c) {
  std::vector<uint64_t> hashes(static_cast<size_t>(blocksSampled(w.csr().nnz)));
  llvm::Error error = readSamples(w, r, c, hashes);
  w.drop(kBlockHashes);
  if (error)
    return error;
  return repeatedAmong(hashes, r, c);
}

} // namespace specmv
