// Profiles a matrix: one pass over rowPtr, one over all entries, and samples. Threads take strips
// of rows in any order. They gather only sums, maxima and sets, so the result depends neither on
// their number nor on the order of the entries in a row.
#include "models/profile/profile.h"

#include "models/base/parallel.h"
#include "models/profile/diagonals.h"
#include "models/profile/lengths.h"
#include "models/profile/rows.h"
#include "models/profile/samples.h"
#include "models/profile/tiles.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>

namespace specmv {

namespace {
// Rows are visited in strips, which are whole tiles of a level and whole blocks of kSpanRows rows.
struct Strips {
  Count rows;   // of a strip
  Count count;  // strips
  int endLevel; // the level after the one whose tiles are as high as a strip
};

// What one thread gathers from its strips.
struct Lane {
  Lane(const SparsityProfile &size, const Strips &strips)
      : diagonals(size), tree(size.cols, 0, strips.endLevel) {}

  SortedRow sorted;
  RowTotals rows;
  DiagonalCounter diagonals;
  SegmentCounter segments;
  TileQuadtree tree;
};

// Results of strips, each at a place of its own.
struct StripResults {
  std::vector<ColumnRange> ranges;      // of blocks of kSpanRows rows
  std::vector<std::vector<Tile>> roots; // tiles of endLevel, to be joined with the neighbours'
};
} // namespace

// 16 strips or more, if they then have 256 rows: enough for the threads, and few enough that there
// are few tiles of roots, at most cols/512 for each of 32 strips. Strips of 65,536 rows have no
// roots.
static Strips chooseStrips(Count rows) {
  const auto sixteenth = static_cast<uint64_t>(rows / 16);
  const Count height = std::clamp<Count>(static_cast<Count>(std::bit_floor(sixteenth)), 256,
                                         tileSize(kTileLevels - 1));
  const int level = std::countr_zero(static_cast<uint64_t>(height / tileSize(0)));
  return {height, (rows + height - 1) / height, level + 1};
}

// The number of lanes: threads with their own counters of diagonals, which together may take 2 GiB.
static Count chooseLanes(const SparsityProfile &size, const Strips &strips) {
  constexpr Count kMaxBytes = Count{2} << 30;
  const Count affordable = kMaxBytes / std::max<Count>(DiagonalCounter::bytes(size), 1);
  return std::max<Count>(1, std::min({Count{threadCount()}, strips.count, affordable}));
}

template <class I>
static void walkStrip(const CsrPattern<I> &a, Count begin, Count end, Lane &lane,
                      std::vector<ColumnRange> &ranges) {
  for (Count row = begin; row < end; ++row) {
    if (const std::span<const Count> cols = lane.sorted.load(a, row); !cols.empty()) {
      lane.rows.addRow(row, cols);
      lane.diagonals.addRow(row, cols);
      lane.segments.addRow(cols);
      addLeaves(cols, lane.tree);
      ranges[static_cast<size_t>(row / kSpanRows)].widen({cols.front(), cols.back()});
    }
    if ((row + 1) % tileSize(0) == 0)
      lane.tree.closeStrips(row + 1, row + 1 == end);
    else if (row + 1 == end)
      lane.tree.closeStrips(end, true);
  }
}

// Joins the tiles of the strips into larger ones.
static TileQuadtree joinRoots(Count cols, const Strips &strips,
                              const std::vector<std::vector<Tile>> &roots) {
  TileQuadtree tree(cols, strips.endLevel, kTileLevels);
  if (strips.endLevel == kTileLevels)
    return tree;
  for (size_t s = 0; s < roots.size(); ++s) {
    for (const Tile &tile : roots[s])
      tree.add(tile);
    tree.closeStrips((static_cast<Count>(s) + 1) * strips.rows, s + 1 == roots.size());
  }
  return tree;
}

static void finish(std::vector<Lane> &lanes, const Strips &strips, StripResults &results,
                   SparsityProfile &p) {
  Lane &sum = lanes[0];
  p.tiles = emptyTileCounts();
  for (Lane &lane : lanes) {
    lane.segments.addTo(p.tiles);
    lane.tree.addTo(p.tiles);
    if (&lane == &sum)
      continue;
    sum.rows.add(lane.rows);
    sum.diagonals.add(std::move(lane.diagonals));
  }
  joinRoots(p.cols, strips, results.roots).addTo(p.tiles);
  p.fingerprint = sum.rows.fingerprint;
  p.distSum = sum.rows.distSum;
  p.bandwidth = sum.rows.bandwidth;
  Diagonals diagonals = sum.diagonals.result();
  p.occupiedDiagonals = diagonals.occupied;
  p.diagonals = std::move(diagonals.listed);
  p.spans = countSpans(std::move(results.ranges));
}

// Everything that needs all entries.
template <class I> static void walkEntries(const CsrPattern<I> &a, SparsityProfile &p) {
  const Strips strips = chooseStrips(a.rows);
  StripResults results;
  results.ranges.resize(static_cast<size_t>((a.rows + kSpanRows - 1) / kSpanRows));
  results.roots.resize(static_cast<size_t>(strips.count));
  std::vector<Lane> lanes;
  for (Count lane = chooseLanes(p, strips); lane > 0; --lane)
    lanes.emplace_back(p, strips);
  std::atomic<Count> next{0};
  parallelFor(static_cast<Count>(lanes.size()), 1, [&](Count index, Count) {
    Lane &lane = lanes[static_cast<size_t>(index)];
    for (Count strip; (strip = next++) < strips.count;) {
      const Count begin = strip * strips.rows;
      walkStrip(a, begin, std::min(begin + strips.rows, a.rows), lane, results.ranges);
      results.roots[static_cast<size_t>(strip)] = lane.tree.takeRoot();
    }
  });
  finish(lanes, strips, results, p);
}

template <class I> static SparsityProfile profilePattern(const CsrPattern<I> &a) {
  SparsityProfile p;
  p.rows = a.rows;
  p.cols = a.cols;
  p.nnz = a.nnz;
  LengthProfile lengths = profileLengths(a);
  p.lengths = std::move(lengths.lengths);
  p.slices = std::move(lengths.slices);
  walkEntries(a, p);
  p.blockFill = countBlocks(a);
  p.sectors = {countSectors(a, 32), countSectors(a, 256)};
  p.sampled = p.blockFill.sampledEntries < a.nnz;
  for (const SectorCount &count : p.sectors)
    p.sampled |= count.sampledEntries < a.nnz;
  return p;
}

SparsityProfile profile(const CsrView &a) {
  return visitPattern(a, [](const auto &pattern) { return profilePattern(pattern); });
}

} // namespace specmv
