// The fingerprint of a pattern whose rows ascend: one walk over rowPtr and the columns that also
// checks both and counts where columns descend.
#pragma once
#include "profile/counts.cuh"
#include "profile/pieces.cuh"
#include "setup/block.cuh"

namespace specmv {

template <class Index> struct FingerprintArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  Word64 *found; // kFoundWords
  long long rows, cols, nnz;
};

// The results that one thread gathers.
struct HashFound {
  Word64 word0, word1;
  unsigned descents;
  bool fault;
};

// Hashes a list whose numbers must be 0 .. most; every thread takes some pieces.
template <HashedList kind, class Index>
__device__ __forceinline__ void hashList(const Index *list, long long count, long long most,
                                         HashFound &found) {
  const bool aligned = isAligned(list);
  const auto limit = static_cast<Index>(most);
  const long long threads = static_cast<long long>(gridDim.x) * kProfileBlock;
  for (long long piece = static_cast<long long>(blockIdx.x) * kProfileBlock + threadIdx.x;
       piece * kHashed < count; piece += threads) {
    const long long first = piece * kHashed;
    Index v[kHashed];
    Index before = first > 0 ? list[first - 1] : Index(0);
    loadPiece(list, first, count, aligned, v);
    unsigned hashed[kHashed];
#pragma unroll
    for (int i = 0; i < kHashed; ++i) {
      hashed[i] = hashedNumber(v[i]);
      found.fault = found.fault || v[i] < 0 || v[i] > limit;
      found.descents += before > v[i] && first + i < count;
      before = v[i];
    }
    found.word0 += hashOfPiece(hashed, kind, 0, piece);
    found.word1 += hashOfPiece(hashed, kind, 1, piece);
  }
}

template <class Index>
__device__ __forceinline__ void fingerprint(const FingerprintArgs<Index> &a) {
  SPECMV_SHARED_ARRAY(Word64, sums, kFoundWords);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < kFoundWords)
    sums[thread] = 0;
  __syncthreads();
  HashFound found{};
  hashList<HashedList::rowPtr>(a.csrRowPtr, a.rows + 1, a.nnz, found);
  // The number of columns is reliable only if rowPtr confirms it.
  const bool endsDiffer = a.csrRowPtr[0] != 0 || a.csrRowPtr[a.rows] != static_cast<Index>(a.nnz);
  found.fault = found.fault || found.descents > 0 || endsDiffer;
  found.descents = 0;
  hashList<HashedList::columns>(a.csrCol, endsDiffer ? 0 : a.nnz, a.cols - 1, found);
  addByWarp(sums + kFingerprint, found.word0);
  addByWarp(sums + kFingerprint + 1, found.word1);
  addByWarp(sums + kDescents, static_cast<Word64>(found.descents));
  addByWarp(sums + kFault, static_cast<Word64>(found.fault));
  __syncthreads();
  if (thread < kFoundWords && sums[thread] > 0)
    atomicAdd(a.found + thread, sums[thread]);
}

} // namespace specmv
