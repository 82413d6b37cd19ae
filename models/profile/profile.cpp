// Profiles a matrix: one pass over rowPtr, two over all entries, and samples. Threads take strips
// of rows in any order. They gather only sums, maxima and sets, so the result depends neither on
// their number nor on the order of the entries in a row.
#include "models/profile/profile.h"

#include "models/base/parallel.h"
#include "models/base/stage.h"
#include "models/profile/ascending.h"
#include "models/profile/diagonals.h"
#include "models/profile/rows.h"
#include "models/profile/samples.h"

#include <algorithm>
#include <atomic>

namespace specmv {

namespace {
// The results that one thread gathers from its strips.
struct Lane {
  RowTotals rows;
  DiagonalCounter diagonals;
};
} // namespace

// The number of rows that a lane takes at a time, in whole blocks of kSpanRows rows: about eight
// strips per thread, but at least 256 rows.
static Count chooseStrip(Count rows) {
  const Count wanted = rows / (8 * Count{threadCount()});
  return std::clamp<Count>(wanted / kSpanRows * kSpanRows, 256, 65536);
}

template <class I>
static void walkStrip(const CsrPattern<I> &a, Count begin, Count end, Lane &lane,
                      std::vector<ColumnRange> &ranges) {
  for (Count row = begin; row < end; ++row)
    if (const std::span<const I> cols(a.col + a.rowPtr[row], a.col + a.rowPtr[row + 1]);
        !cols.empty()) {
      lane.rows.addRow(row, cols);
      lane.diagonals.addRow(row, cols);
      ranges[static_cast<size_t>(row / kSpanRows)].widen({cols.front(), cols.back()});
    }
}

static void finish(std::vector<Lane> &lanes, SparsityProfile &p) {
  Lane &sum = lanes[0];
  for (size_t lane = 1; lane < lanes.size(); ++lane) {
    sum.rows.add(lanes[lane].rows);
    sum.diagonals.add(lanes[lane].diagonals);
  }
  p.distSum = sum.rows.distSum;
  p.bandwidth = sum.rows.bandwidth;
  p.diagonals = sum.diagonals.list();
  p.occupiedDiagonals =
      sum.diagonals.areMany() ? kMaxListedDiagonals + 1 : static_cast<Count>(p.diagonals.size());
}

// Computes everything that needs all entries.
template <class I> static void walkEntries(const CsrPattern<I> &a, SparsityProfile &p) {
  const Count strip = chooseStrip(a.rows), strips = (a.rows + strip - 1) / strip;
  std::vector<ColumnRange> ranges(static_cast<size_t>((a.rows + kSpanRows - 1) / kSpanRows));
  std::vector<Lane> lanes(static_cast<size_t>(std::clamp<Count>(strips, 1, threadCount())));
  std::atomic<Count> next{0};
  parallelFor(static_cast<Count>(lanes.size()), 1, [&](Count index, Count) {
    for (Count k; (k = next++) < strips;)
      walkStrip(a, k * strip, std::min((k + 1) * strip, a.rows), lanes[static_cast<size_t>(index)],
                ranges);
  });
  finish(lanes, p);
  p.spans = countSpans(std::move(ranges));
}

template <class I> static SparsityProfile profilePattern(const CsrPattern<I> &given) {
  SparsityProfile p;
  p.rows = given.rows;
  p.cols = given.cols;
  p.nnz = given.nnz;
  LengthProfile lengths = profileLengths(given);
  p.lengths = std::move(lengths.lengths);
  p.slices = std::move(lengths.slices);
  std::vector<I> sorted;
  const CsrPattern<I> a = withAscendingRows(given, sorted);
  p.fingerprint = fingerprintOf(a);
  walkEntries(a, p);
  p.blockFill = countBlocks(a);
  p.lines = countLines(a);
  p.reuse = countReuse(a);
  p.tiles = countTiles(a);
  p.sampled = p.blockFill.sampledEntries < a.nnz;
  for (const ReuseCount &count : p.reuse)
    p.sampled |= count.sampledEntries < a.nnz;
  return p;
}

SparsityProfile profile(const CsrView &a) {
  const Stage stage("profiling");
  return visitPattern(a, [](const auto &pattern) { return profilePattern(pattern); });
}

} // namespace specmv
