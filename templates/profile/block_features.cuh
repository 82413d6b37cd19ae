// The definition of the sample of blocks that tells whether blocks repeat. The host and the kernel
// of templates/profile/block_samples.cuh both compile it.
#pragma once
#include "profile/features.cuh"

namespace specmv {

// Enough that values which one block in some thousand has are seen, and few enough that a host
// counts their hashes in less time than a kernel takes to be loaded.
enum : int { kSampledBlocks = 1 << 14 };

constexpr int blocksSampled(long long nnz) {
  return nnz < kSampledBlocks ? static_cast<int>(nnz) : int{kSampledBlocks};
}

// Entry number `sample` of the sample: one of each of `samples` equal parts of the entries, at a
// place that differs from part to part, since the entries of a mesh repeat at equal distances.
constexpr long long sampledEntry(int sample, int samples, long long nnz) {
  const long long part = nnz / samples;
  return sample * part + static_cast<long long>(mixBits(static_cast<Word64>(sample) + 1) %
                                                static_cast<Word64>(part));
}

// The first of begin .. end - 1 for which `isAt` holds, which then holds for all that follow; end
// if there is none.
template <class IsAt>
constexpr long long firstThat(long long begin, long long end, const IsAt &isAt) {
  while (begin < end) {
    const long long middle = begin + (end - begin) / 2;
    if (isAt(middle))
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
}

// A hash of the values of the r x c block that has this entry; `bitsOf(e)` has the bits of the
// value of entry e. Places without an entry count as 0. In rows whose columns do not ascend, some
// entries may be missed.
template <class Index, class BitsOf>
constexpr Word64 hashOfBlock(const Index *rowPtr, const Index *col, long long rows, int r, int c,
                             long long entry, const BitsOf &bitsOf) {
  const long long row = firstThat(
      0, rows, [&](long long i) { return static_cast<long long>(rowPtr[i + 1]) > entry; });
  const long long first = row / r * r, column = col[entry] / c * c;
  Word64 hash = 0;
  for (int i = 0; i < r && first + i < rows; ++i) {
    const long long end = rowPtr[first + i + 1];
    for (long long e =
             firstThat(rowPtr[first + i], end, [&](long long k) { return col[k] >= column; });
         e < end && col[e] < column + c; ++e)
      if (const Word64 bits = bitsOf(e); bits != 0)
        hash += mixBits(bits ^ mixBits(static_cast<Word64>((col[e] - column) * r + i) + 1));
  }
  return hash;
}

} // namespace specmv
