// HCGHYB (AlAhmadi et al. 2020, section 8.1), the COO part on the GPU. One kernel computes the
// products of the entries, the host sums them by row, and another kernel adds these sums to the
// result of the ELL part.
#pragma once
#include "shared/operands.cuh"

namespace specmv {

struct HcghybPlan {
  int blockThreads;
  int itemsPerThread;
};

template <class T> struct HcghybProductsArgs {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  typename T::Columns col;
  typename T::Values val; // entry i is in slot valBegin + i
  const Value *x;
  Value *products;
  Offset valBegin;
  Offset count; // at least 1
};

// Writes the product of each entry, in the order of the entries. The loads of a thread's items are
// issued together; past the end, they repeat the last entry, whose product is not stored again.
template <HcghybPlan plan, class T>
__device__ __forceinline__ void hcghybProducts(const HcghybProductsArgs<T> &a) {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  constexpr int items = plan.itemsPerThread;
  static_assert(plan.blockThreads % 32 == 0 && plan.blockThreads <= 1024 && items >= 1);
  const Offset first = Offset(blockIdx.x) * (plan.blockThreads * items) + threadIdx.x;
  typename T::Column col[items];
  Value val[items];
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const Offset entry = first + i * plan.blockThreads;
    const Offset at = entry < a.count ? entry : a.count - 1;
    col[i] = loadOnce(a.col + at);
    val[i] = loadOnce(a.val + a.valBegin + at);
  }
#pragma unroll
  for (int i = 0; i < items; ++i)
    val[i] *= loadReused(a.x + col[i]);
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const Offset entry = first + i * plan.blockThreads;
    if (entry < a.count)
      a.products[entry] = val[i];
  }
}

template <class T> struct HcghybAddArgs {
  using Value = typename T::Value;
  using Offset = typename T::Offset;
  Streamed<Offset> row; // no row appears twice
  Value *sums;          // sums[i] belongs to row[i]
  Value *y;
  Value alpha;
  Offset count;
};

template <HcghybPlan plan, class T>
__device__ __forceinline__ void hcghybAdd(const HcghybAddArgs<T> &a) {
  using Offset = typename T::Offset;
  const Offset i = Offset(blockIdx.x) * plan.blockThreads + threadIdx.x;
  if (i >= a.count)
    return;
  auto *const y = a.y + loadOnce(a.row + i);
  *y = multiplyAdd(a.alpha, a.sums[i], *y);
}

} // namespace specmv
