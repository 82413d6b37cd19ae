// Counts the entries of each diagonal and keeps the fullest.
#include "models/profile/diagonals.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace specmv {

namespace {
// Keeps the fullest diagonals; of equally full ones those with smaller offset.
class Fullest {
public:
  void offer(const DiagonalCount &diagonal) {
    ++occupied_;
    if (static_cast<Count>(heap_.size()) == kMaxListedDiagonals) {
      if (!fuller(diagonal, heap_.front()))
        return;
      std::pop_heap(heap_.begin(), heap_.end(), fuller);
      heap_.pop_back();
    }
    heap_.push_back(diagonal);
    std::push_heap(heap_.begin(), heap_.end(), fuller);
  }

  Diagonals result() {
    std::sort(heap_.begin(), heap_.end(),
              [](const DiagonalCount &a, const DiagonalCount &b) { return a.offset < b.offset; });
    return {occupied_, heap_};
  }

private:
  static bool fuller(const DiagonalCount &a, const DiagonalCount &b) {
    return a.entries != b.entries ? a.entries > b.entries : a.offset < b.offset;
  }

  Count occupied_ = 0;
  std::vector<DiagonalCount> heap_; // the least full on top
};
} // namespace

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

void DiagonalCounter::addRow(Count row, std::span<const Count> cols) {
  if (pages_.empty())
    for (Count col : cols)
      offsets_.push_back(col - row);
  else
    for (Count col : cols)
      count(col - row + rows_);
}

void DiagonalCounter::add(DiagonalCounter &&other) {
  offsets_.insert(offsets_.end(), other.offsets_.begin(), other.offsets_.end());
  for (size_t i = 0; i < pages_.size(); ++i)
    if (!pages_[i])
      pages_[i] = std::move(other.pages_[i]);
    else if (const Count *theirs = other.pages_[i].get())
      std::transform(theirs, theirs + kPageSize, pages_[i].get(), pages_[i].get(), std::plus<>());
}

Diagonals DiagonalCounter::result() {
  Fullest fullest;
  std::sort(offsets_.begin(), offsets_.end());
  for (auto first = offsets_.begin(), last = first; first != offsets_.end(); first = last) {
    last = std::upper_bound(first, offsets_.end(), *first);
    fullest.offer({*first, last - first});
  }
  Count offset = -rows_;
  for (const Page &page : pages_) {
    for (Count i = 0; page && i < kPageSize; ++i)
      if (const Count entries = page[static_cast<size_t>(i)]; entries > 0)
        fullest.offer({offset + i, entries});
    offset += kPageSize;
  }
  return fullest.result();
}

} // namespace specmv
