// Properties of rows: their lengths, the bandwidth, and the reach of the columns.
#pragma once

#include "models/profile/profile.h"

#include <limits>
#include <span>

namespace specmv {

// --- Lengths -------------------------------------------------------------------------------------

// Row lengths: their counts (the PMF), and the size of a sliced ELL. Reads rowPtr only.

// Counts lengths without sorting the short ones.
class LengthCounter {
public:
  void add(Count length, Count rows);
  // Returns the counts by ascending length and empties the counter.
  std::vector<LengthCount> take();

private:
  // Longer rows are kept one by one and sorted, which costs little compared with their many
  // entries.
  static constexpr Count kDirect = 1024;
  std::vector<Count> direct_ = std::vector<Count>(kDirect); // rows of each length
  std::vector<LengthCount> longer_;
  Count end_ = 0; // one more than the largest length in direct_
};

struct LengthProfile {
  std::vector<LengthCount> lengths;
  std::vector<SliceCount> slices;
};

template <class I> LengthProfile profileLengths(const CsrPattern<I> &a);

// --- Rows ----------------------------------------------------------------------------------------

// Properties that can be computed row by row: the bandwidth, and the reach of the columns.

// a + b, or the largest Count if the sum exceeds it, which can happen if rows x cols exceeds it.
Count saturatingSum(Count a, Count b);

struct RowTotals {
  Count distSum = 0, bandwidth = 0;

  // cols must ascend and must not be empty.
  template <class I> void addRow(Count row, std::span<const I> cols);
  void add(const RowTotals &other);
};

// The first and last column of some rows.
struct ColumnRange {
  Count first = std::numeric_limits<Count>::max(), last = -1;

  void widen(const ColumnRange &other);
  Count span() const { return last < 0 ? 0 : last - first + 1; }
};

constexpr Count kSpanRows = 32, kMaxSpanRows = 4096;

// The spans of blocks of 32, 64, ... 4096 rows, from the ranges of the blocks of 32 rows.
std::vector<SpanCount> countSpans(std::vector<ColumnRange> blocks);

} // namespace specmv
