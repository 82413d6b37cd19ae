// Counts the entries of each diagonal and lists the diagonals if they are few.
#include "models/profile/diagonals.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace specmv {

// Adds the next diagonal. The list is emptied when it becomes too long and stays empty then.
static void addDiagonal(const DiagonalCount &diagonal, Diagonals &to) {
  if (++to.occupied <= kMaxListedDiagonals)
    to.listed.push_back(diagonal);
  else
    to.listed.clear();
}

// With 8 diagonals for each entry, the list takes an eighth of the memory of the counters. 2^20
// counters are always cheap.
static bool hasFewEntries(const SparsityProfile &size) {
  constexpr Count kCheap = Count{1} << 20, kPerEntry = 8;
  constexpr Count kMany = std::numeric_limits<Count>::max() / kPerEntry - kCheap;
  const Count enough = kPerEntry * std::min(size.nnz, kMany) + kCheap;
  return size.cols > enough || size.rows > enough - size.cols;
}

Count DiagonalCounter::bytes(const SparsityProfile &size) {
  const Count numbers = hasFewEntries(size) ? size.nnz : size.rows + size.cols;
  return numbers * static_cast<Count>(sizeof(Count));
}

DiagonalCounter::DiagonalCounter(const SparsityProfile &size) : rows_(size.rows) {
  if (!hasFewEntries(size))
    pages_.resize(static_cast<size_t>((size.rows + size.cols) / kPageSize + 1));
}

void DiagonalCounter::count(Count place) {
  Page &page = pages_[static_cast<size_t>(place >> kPageBits)];
  if (!page)
    page = std::make_unique<Count[]>(kPageSize);
  ++page[static_cast<size_t>(place & (kPageSize - 1))];
}

template <class I> void DiagonalCounter::addRow(Count row, std::span<const I> cols) {
  if (pages_.empty())
    for (I col : cols)
      offsets_.push_back(col - row);
  else
    for (I col : cols)
      count(col - row + rows_);
}

template void DiagonalCounter::addRow(Count, std::span<const int32_t>);
template void DiagonalCounter::addRow(Count, std::span<const int64_t>);

void DiagonalCounter::add(DiagonalCounter &&other) {
  offsets_.insert(offsets_.end(), other.offsets_.begin(), other.offsets_.end());
  for (size_t i = 0; i < pages_.size(); ++i)
    if (!pages_[i])
      pages_[i] = std::move(other.pages_[i]);
    else if (const Count *theirs = other.pages_[i].get())
      std::transform(theirs, theirs + kPageSize, pages_[i].get(), pages_[i].get(), std::plus<>());
}

Diagonals DiagonalCounter::result() {
  Diagonals result;
  std::sort(offsets_.begin(), offsets_.end());
  for (auto first = offsets_.begin(), last = first; first != offsets_.end(); first = last) {
    last = std::upper_bound(first, offsets_.end(), *first);
    addDiagonal({*first, last - first}, result);
  }
  Count offset = -rows_;
  for (const Page &page : pages_) {
    for (Count i = 0; page && i < kPageSize; ++i)
      if (const Count entries = page[static_cast<size_t>(i)]; entries > 0)
        addDiagonal({offset + i, entries}, result);
    offset += kPageSize;
  }
  return result;
}

} // namespace specmv
