// Looks up the mirrored places of a sample of entries.
#include "runtime/cli/report/symmetry.h"

#include <algorithm>

namespace specmv::cli {

template <class I, class V>
static void lookAt(const CsrPattern<I> &a, const V *values, int64_t row, int64_t entry,
                   SymmetrySample &sample) {
  const int64_t col = a.col[entry];
  if (col == row)
    return;
  ++sample.entries;
  const I *begin = a.col + a.rowPtr[col], *end = a.col + a.rowPtr[col + 1];
  const I *found = std::lower_bound(begin, end, static_cast<I>(row));
  if (found == end || *found != row)
    return;
  ++sample.mirrored;
  sample.equal += values[found - a.col] == values[entry];
}

SymmetrySample sampleSymmetry(const CsrView &view) {
  SymmetrySample sample;
  visitPattern(view, [&](auto a) {
    visitValues(view, [&](const auto *values) {
      const int64_t step = std::max<int64_t>(1, (a.nnz + kMostMirrored - 1) / kMostMirrored);
      sample.isAll = step == 1;
      for (int64_t entry = 0; entry < a.nnz; entry += step) {
        const auto *after = std::upper_bound(a.rowPtr, a.rowPtr + a.rows + 1, entry);
        lookAt(a, values, after - a.rowPtr - 1, entry, sample);
      }
    });
  });
  return sample;
}

} // namespace specmv::cli
