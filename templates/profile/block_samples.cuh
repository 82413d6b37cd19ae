// Hashes the blocks of a sample, one for each thread.
#pragma once
#include "profile/block_features.cuh"
#include "setup/block.cuh"

namespace specmv {

template <class Index, class Word> struct SampleBlocksArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  const Word *csrVal;
  Word64 *hashes; // blocksSampled(nnz)
  long long rows, nnz;
  int r, c;
};

template <class Index, class Word>
__device__ __forceinline__ void sampleBlocks(const SampleBlocksArgs<Index, Word> &a) {
  const int sample = static_cast<int>(blockIdx.x) * kSetupBlock + static_cast<int>(threadIdx.x);
  const int samples = blocksSampled(a.nnz);
  if (sample < samples)
    a.hashes[sample] =
        hashOfBlock(a.csrRowPtr, a.csrCol, a.rows, a.r, a.c, sampledEntry(sample, samples, a.nnz),
                    [&](long long e) { return static_cast<Word64>(a.csrVal[e]); });
}

} // namespace specmv
