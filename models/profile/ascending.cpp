// Looks for rows whose columns do not ascend, and sorts all rows of a copy if there are any.
#include "models/profile/ascending.h"

#include "models/base/parallel.h"

#include <algorithm>
#include <atomic>

namespace specmv {

constexpr int64_t kRowsAtATime = 4096;

template <class I> static bool hasAscendingRows(const CsrPattern<I> &a) {
  std::atomic<bool> ascending{true};
  parallelFor(a.rows, kRowsAtATime, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end && ascending; ++row)
      if (!std::is_sorted(a.col + a.rowPtr[row], a.col + a.rowPtr[row + 1]))
        ascending = false;
  });
  return ascending;
}

template <class I> CsrPattern<I> withAscendingRows(const CsrPattern<I> &a, std::vector<I> &sorted) {
  if (hasAscendingRows(a))
    return a;
  sorted.resize(static_cast<size_t>(a.nnz));
  parallelFor(a.rows, kRowsAtATime, [&](int64_t begin, int64_t end) {
    std::copy(a.col + a.rowPtr[begin], a.col + a.rowPtr[end], sorted.data() + a.rowPtr[begin]);
    for (int64_t row = begin; row < end; ++row)
      std::sort(sorted.data() + a.rowPtr[row], sorted.data() + a.rowPtr[row + 1]);
  });
  return {a.rows, a.cols, a.nnz, a.rowPtr, sorted.data()};
}

template CsrPattern<int32_t> withAscendingRows(const CsrPattern<int32_t> &, std::vector<int32_t> &);
template CsrPattern<int64_t> withAscendingRows(const CsrPattern<int64_t> &, std::vector<int64_t> &);

} // namespace specmv
