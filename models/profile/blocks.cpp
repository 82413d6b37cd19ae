// Counts the sampled entries that are the first of their aligned r x c block, r and c in 1 .. 8.
// Blocked formats store these blocks.
#include "models/profile/samples.h"

namespace specmv {

constexpr size_t kSides = kBlockSides;
constexpr unsigned kAllWidths = (1U << kSides) - 1;
using Touched = std::array<unsigned, kSides>; // block widths as bits, by the number of rows above

// For each number of rows above the entry's own, returns the widths of those blocks that these rows
// or earlier entries of the row touch.
template <class I>
static Touched touchedAbove(const CsrPattern<I> &a, Count row, Count rowsAbove, Count entry) {
  const Count column = a.col[entry];
  unsigned touched = touchedBlocks(a.col, nearestBefore(a.rowPtr[row], entry), entry, column);
  Touched result;
  for (Count above = 0; above < static_cast<Count>(kSides); ++above) {
    if (above > 0 && above <= rowsAbove && touched != kAllWidths)
      touched |= touchedBlocks(a.col, a.rowPtr[row - above], a.rowPtr[row - above + 1], column);
    result[static_cast<size_t>(above)] = touched;
  }
  return result;
}

// Adds the blocks of which an entry is the first.
static void addBlocks(Count row, const Touched &touched, BlockFill &fill) {
  for (size_t r = 0; r < kSides; ++r) {
    const unsigned taken = touched[static_cast<size_t>(row) % (r + 1)];
    for (size_t c = 0; c < kSides; ++c)
      fill.blocks[r][c] += !(taken >> c & 1);
  }
}

template <class I> BlockFill countBlocks(const CsrPattern<I> &a) {
  BlockFill fill{};
  addSamples(fill, sampledGroups(a.rows, a.nnz), [&](Count first, Count last, BlockFill &part) {
    forSampledRows(a, first, last, [&](Count row, Count begin, Count end) {
      Count rowsAbove = 0;
      for (Count r = 2; r <= kBlockSides; ++r)
        rowsAbove = std::max(rowsAbove, row % r);
      for (Count e = begin; e < end; ++e)
        addBlocks(row, touchedAbove(a, row, rowsAbove, e), part);
      ++part.sampledRows;
      part.sampledEntries += end - begin;
    });
  });
  return fill;
}

template BlockFill countBlocks(const CsrPattern<int32_t> &);
template BlockFill countBlocks(const CsrPattern<int64_t> &);

} // namespace specmv
