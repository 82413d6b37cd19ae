// Counts diagonals in a small hash table, or all of them with a bit for each.
#include "models/profile/diagonals.h"

#include "templates/profile/features.cuh"

#include <algorithm>

namespace specmv {

void DiagonalCounter::add(Count offset, Count entries) {
  size_t slot = mixBits(static_cast<Word64>(offset)) % kSlots;
  while (slots_[slot].entries > 0 && slots_[slot].offset != offset)
    slot = (slot + 1) % kSlots;
  if (slots_[slot].entries == 0 && ++used_ > kMaxListedDiagonals) {
    areMany_ = true;
    return;
  }
  slots_[slot] = {offset, slots_[slot].entries + entries};
}

template <class I> void DiagonalCounter::addRow(Count row, std::span<const I> cols) {
  areMany_ |= std::ssize(cols) > kMaxListedDiagonals;
  for (size_t k = 0; k < cols.size() && !areMany_; ++k)
    add(cols[k] - row, 1);
}

template void DiagonalCounter::addRow(Count, std::span<const int32_t>);
template void DiagonalCounter::addRow(Count, std::span<const int64_t>);

void DiagonalCounter::add(const DiagonalCounter &other) {
  areMany_ |= other.areMany_;
  for (const DiagonalCount &diagonal : other.slots_)
    if (diagonal.entries > 0 && !areMany_)
      add(diagonal.offset, diagonal.entries);
}

std::vector<DiagonalCount> DiagonalCounter::list() const {
  std::vector<DiagonalCount> out;
  if (areMany_)
    return out;
  std::copy_if(slots_.begin(), slots_.end(), std::back_inserter(out),
               [](const DiagonalCount &diagonal) { return diagonal.entries > 0; });
  std::sort(out.begin(), out.end(),
            [](const DiagonalCount &a, const DiagonalCount &b) { return a.offset < b.offset; });
  return out;
}

// If a matrix declares more diagonals than this for each entry, its offsets are sorted instead, so
// that a large number of declared columns does not take memory.
constexpr Count kBitsPerEntry = 256, kCheapBits = Count{1} << 23;

template <class I> static Count countByBits(const CsrPattern<I> &a) {
  std::vector<bool> seen(static_cast<size_t>(a.rows + a.cols));
  Count count = 0;
  for (Count row = 0; row < a.rows; ++row)
    for (Count e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e) {
      const auto place = static_cast<size_t>(a.col[e] - row + a.rows);
      count += !seen[place];
      seen[place] = true;
    }
  return count;
}

template <class I> static Count countBySorting(const CsrPattern<I> &a) {
  std::vector<Count> offsets;
  for (Count row = 0; row < a.rows; ++row)
    for (Count e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e)
      offsets.push_back(a.col[e] - row);
  std::sort(offsets.begin(), offsets.end());
  return std::unique(offsets.begin(), offsets.end()) - offsets.begin();
}

Count countDiagonals(const CsrView &a) {
  const bool isCheap =
      a.rows / kBitsPerEntry + a.cols / kBitsPerEntry <= a.nnz + kCheapBits / kBitsPerEntry;
  return visitPattern(a, [&](auto p) { return isCheap ? countByBits(p) : countBySorting(p); });
}

} // namespace specmv
