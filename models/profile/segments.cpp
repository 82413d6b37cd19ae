// Counts the row segments of tiles and their padding to 16 entries, the alignment of the QCSR paper
// (Zhang et al., "Implementing sparse matrix-vector multiplication with QCSR on GPU", 2013).
#include "models/profile/tiles.h"

#include <algorithm>
#include <bit>

namespace specmv {

constexpr Count kAlign = 16;

static size_t differingBits(Count a, Count b) {
  return static_cast<size_t>(std::bit_width(static_cast<uint64_t>(a ^ b)));
}

// For rows of at most 16 entries lengths are not needed: each of their segments is padded to 16.
static void countWidths(std::span<const Count> cols, std::array<Count, 65> &widths) {
  for (size_t k = 1; k < cols.size(); ++k)
    ++widths[differingBits(cols[k - 1], cols[k])];
}

void SegmentCounter::addRow(std::span<const Count> cols) {
  if (static_cast<Count>(cols.size()) <= kAlign) {
    ++shortRows_;
    countWidths(cols, short_);
    return;
  }
  ++longRows_;
  std::array<size_t, kTileLevels> begin{}; // of the open segment
  const auto close = [&](size_t end, size_t levels) {
    for (size_t level = 0; level < levels; ++level) {
      const auto length = static_cast<Count>(end - begin[level]);
      longPadded_[level] += (length + kAlign - 1) / kAlign * kAlign;
      begin[level] = end;
    }
  };
  for (size_t k = 1; k < cols.size(); ++k) {
    const size_t width = differingBits(cols[k - 1], cols[k]);
    ++long_[width];
    if (width > 4)
      close(k, std::min<size_t>(width - 4, kTileLevels));
  }
  close(cols.size(), kTileLevels);
}

Count SegmentCounter::segments(const Widths &widths, Count rows, int level) {
  for (size_t width = 5 + static_cast<size_t>(level); width < widths.size(); ++width)
    rows += widths[width];
  return rows;
}

void SegmentCounter::addTo(std::vector<TileCount> &counts) const {
  for (int level = 0; level < kTileLevels; ++level) {
    TileCount &count = counts[static_cast<size_t>(level)];
    const Count ofShort = segments(short_, shortRows_, level);
    count.segments += ofShort + segments(long_, longRows_, level);
    count.padded16 += kAlign * ofShort + longPadded_[static_cast<size_t>(level)];
  }
}

} // namespace specmv
