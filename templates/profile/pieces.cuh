// Loads the pieces of a list that a thread takes: kHashed neighbouring numbers at a time.
#pragma once
#include "profile/features.cuh"
#include "shared/device.cuh"

namespace specmv {

// Numbers of a list that one instruction loads.
template <class Index> struct alignas(16) LoadedTogether {
  enum : int { kCount = 16 / sizeof(Index) };
  Index of[kCount];
};
template <class Index> __device__ __forceinline__ bool isAligned(const Index *list) {
  return reinterpret_cast<unsigned long long>(list) % 16 == 0;
}

// Loads the numbers from `first` on, with `after` after the end.
template <class Index>
__device__ __forceinline__ void loadPiece(const Index *list, long long first, long long count,
                                          bool aligned, Index (&v)[kHashed],
                                          Index after = Index(0)) {
  using Together = LoadedTogether<Index>;
  if (aligned && first + kHashed <= count) {
    const auto *from = reinterpret_cast<const Together *>(list + first);
#pragma unroll
    for (int i = 0; i < kHashed; i += Together::kCount) {
      const Together some = from[i / Together::kCount];
#pragma unroll
      for (int k = 0; k < Together::kCount; ++k)
        v[i + k] = some.of[k];
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < kHashed; ++i)
    v[i] = first + i < count ? list[first + i] : after;
}

} // namespace specmv
