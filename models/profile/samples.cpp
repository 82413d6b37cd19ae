// Counts blocks, reuse, lines and tiles of sampled entries.
#include "models/profile/samples.h"

#include "models/base/parallel.h"
#include "models/profile/diagonals.h"
#include "models/profile/value_facts.h"
#include "templates/profile/block_features.cuh"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

namespace specmv {

// --- Blocks --------------------------------------------------------------------------------------

// Counts the sampled entries that are the first of their aligned r x c block, r and c in 1 .. 8.
// Blocked formats store these blocks.

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

// --- Lines ---------------------------------------------------------------------------------------

// Counts the lines of slices (templates/profile/line_features.cuh) in a sample of windows, with
// rows in their order and sorted by length.

// Adds the lines of the slice that has these rows.
template <class I>
static void addSlice(const CsrPattern<I> &a, const Count *rows, Count count, LineCount &sum) {
  std::array<int, kMostOffsetBytes> upTo{};
  int lines = 0;
  for (; lines < kMostLines; ++lines) {
    Count least = a.cols, most = -1;
    for (Count i = 0; i < count; ++i)
      if (const Count at = a.rowPtr[rows[i]] + lines; at < a.rowPtr[rows[i] + 1]) {
        least = std::min<Count>(least, a.col[at]);
        most = std::max<Count>(most, a.col[at]);
      }
    if (most < 0)
      break;
    for (int bytes = bytesOfOffset(most - least); bytes <= kMostOffsetBytes; ++bytes)
      ++upTo[bytes - 1];
  }
  sum.lines += lines;
  for (int i = 0, before = 0; i < kMostOffsetBytes; ++i) {
    const int fours = foursUpTo(upTo[i], lines);
    sum.fours[i] += fours - before;
    before = fours;
  }
}

template <class I> std::vector<LineCount> countLines(const CsrPattern<I> &a) {
  std::array<LineCount, 2> sum{};
  const Count windows = (a.rows + kLineWindow - 1) / kLineWindow;
  const Count sampled = sampledLineWindows(a.rows, a.cols, a.nnz);
  const auto countWindow = [&](Count k, std::array<LineCount, 2> &part) {
    const Count first = evenlySpread(k, sampled, windows) * kLineWindow;
    std::vector<Count> rows(static_cast<size_t>(std::min<Count>(kLineWindow, a.rows - first)));
    std::iota(rows.begin(), rows.end(), first);
    for (LineCount &count : part) {
      for (size_t place = 0; place < rows.size(); place += kLineRows)
        addSlice(a, rows.data() + place, std::min<Count>(kLineRows, std::ssize(rows) - place),
                 count);
      const auto length = [&](Count row) {
        return lengthForOrder(a.rowPtr[row + 1] - a.rowPtr[row]);
      };
      std::stable_sort(rows.begin(), rows.end(),
                       [&](Count l, Count r) { return length(l) > length(r); });
    }
  };
  addSamples(sum, sampled, [&](Count begin, Count end, std::array<LineCount, 2> &part) {
    for (Count k = begin; k < end; ++k)
      countWindow(k, part);
  });
  sum[0].window = 1;
  sum[1].window = kLineWindow;
  return {sum.begin(), sum.end()};
}

template std::vector<LineCount> countLines(const CsrPattern<int32_t> &);
template std::vector<LineCount> countLines(const CsrPattern<int64_t> &);

// --- Reuse ---------------------------------------------------------------------------------------

// Counts how often entries of a group of rows share tiles of columns. From these counts follow the
// part of x that L2 must deliver, and the cuts of rows at tiles.

// Returns how close earlier entries in an entry's group of rows come to its column, as the bit
// width of the narrowest tile that has both. The nearest rows are searched first, since they are
// the most likely to be near enough.
template <class I>
static int widthBefore(const CsrPattern<I> &a, Count groupRows, Count row, Count entry) {
  const Count column = a.col[entry], top = row / groupRows * groupRows;
  int width = nearestWidth(a.col, nearestBefore(a.rowPtr[row], entry), entry, column);
  for (Count above = row - 1; above >= top && width > kNearEnough; --above)
    width = std::min(width, nearestWidth(a.col, a.rowPtr[above], a.rowPtr[above + 1], column));
  return std::max<int>(width, kNearEnough);
}

static void addWidth(int width, ReuseCount &count) {
  ++count.sampledEntries;
  for (int level = 0; level < kReuseLevels; ++level)
    count.first[static_cast<size_t>(level)] += width > level;
}

// Counts single rows on the sample of the blocks.
template <class I> static ReuseCount reuseOfRows(const CsrPattern<I> &a) {
  ReuseCount count{1, 0, {}};
  addSamples(count, sampledGroups(a.rows, a.nnz), [&](Count first, Count last, ReuseCount &part) {
    forSampledRows(a, first, last, [&](Count row, Count begin, Count end) {
      for (Count e = begin; e < end; ++e)
        addWidth(widthBefore(a, 1, row, e), part);
    });
  });
  return count;
}

template <class I> static ReuseCount reuseOfGroups(const CsrPattern<I> &a, int groupRows) {
  ReuseCount count{groupRows, 0, {}};
  const Count samples = sampledForReuse(groupRows, a.nnz);
  addSamples(count, samples, [&](Count begin, Count end, ReuseCount &part) {
    for (Count k = begin; k < end; ++k) {
      const Count entry = evenlySpread(k, samples, a.nnz);
      addWidth(widthBefore(a, groupRows, rowOfEntry(a.rowPtr, a.rows, entry), entry), part);
    }
  });
  return count;
}

template <class I> std::vector<ReuseCount> countReuse(const CsrPattern<I> &a) {
  std::vector<ReuseCount> counts = {reuseOfRows(a)};
  for (int group = 1; group < kReuseGroups; ++group)
    counts.push_back(reuseOfGroups(a, reuseRows(group)));
  return counts;
}

template std::vector<ReuseCount> countReuse(const CsrPattern<int32_t> &);
template std::vector<ReuseCount> countReuse(const CsrPattern<int64_t> &);

// --- Tiles ---------------------------------------------------------------------------------------

// Measures the density of the aligned d x d tiles of sampled entries, d = 16 .. 65536.

// The number of entries of a row in the d columns from `left`.
template <class I>
static Count entriesWithin(const CsrPattern<I> &a, Count row, Count left, Count d) {
  // The last tile may reach beyond the largest Count, which is never a column.
  const Count right = left + std::min(d, std::numeric_limits<Count>::max() - left);
  const Count begin = lowerBound(a.col, a.rowPtr[row], a.rowPtr[row + 1], left);
  return lowerBound(a.col, begin, a.rowPtr[row + 1], right) - begin;
}

template <class I> static int densityBinOf(const CsrPattern<I> &a, Count d, Count entry) {
  const Count top = rowOfEntry(a.rowPtr, a.rows, entry) / d * d, left = a.col[entry] / d * d;
  const Count height = std::min(d, a.rows - top), looked = std::min<Count>(kTileRows, height);
  Count entries = 0;
  for (Count k = 0; k < looked; ++k)
    entries += entriesWithin(a, top + evenlySpread(k, looked, height), left, d);
  return densityBin(entries, looked * d);
}

template <class I> std::vector<TileDensity> countTiles(const CsrPattern<I> &a) {
  const Count samples = std::min<Count>(kTileSamples, a.nnz);
  std::vector<TileDensity> tiles(kTileLevels);
  parallelFor(kTileLevels, 1, [&](Count level, Count) {
    TileDensity &tile = tiles[static_cast<size_t>(level)];
    tile = {tileSize(static_cast<int>(level)), samples, {}};
    for (Count k = 0; k < samples; ++k)
      ++tile.bins[static_cast<size_t>(densityBinOf(a, tile.d, evenlySpread(k, samples, a.nnz)))];
  });
  return tiles;
}

template std::vector<TileDensity> countTiles(const CsrPattern<int32_t> &);
template std::vector<TileDensity> countTiles(const CsrPattern<int64_t> &);

// --- Repeated blocks -----------------------------------------------------------------------------

// Samples blocks on the host, and counts the hashes of sampled blocks.

double RepeatedBlocks::estimated() const {
  const auto seenOnce = static_cast<double>(once), seenTwice = static_cast<double>(twice);
  return static_cast<double>(different) + seenOnce * (seenOnce - 1) / (2 * (seenTwice + 1));
}

RepeatedBlocks repeatedAmong(std::span<const uint64_t> hashes, int64_t r, int64_t c) {
  const auto places = std::make_unique<PlaceTable<kSampledBlocks>>();
  std::vector<int> counts;
  for (const uint64_t hash : hashes) {
    const size_t place = places->placeOf(hash);
    if (place == counts.size())
      counts.push_back(0);
    ++counts[place];
  }
  return {r,
          c,
          std::ssize(hashes),
          std::ssize(counts),
          std::ranges::count(counts, 1),
          std::ranges::count(counts, 2)};
}

// Samples a thread takes together. For fewer, starting a thread would take longer.
constexpr int64_t kSamplesTogether = 1 << 10;

RepeatedBlocks repeatedBlocks(const CsrView &a, int64_t r, int64_t c) {
  const int samples = blocksSampled(a.nnz);
  std::vector<uint64_t> hashes(static_cast<size_t>(samples));
  visitPattern(a, [&](const auto &p) {
    visitValues(a, [&](auto *val) {
      parallelFor(samples, kSamplesTogether, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          hashes[static_cast<size_t>(i)] =
              hashOfBlock(p.rowPtr, p.col, a.rows, static_cast<int>(r), static_cast<int>(c),
                          sampledEntry(static_cast<int>(i), samples, a.nnz),
                          [&](long long e) { return static_cast<Word64>(bitsOf(val[e])); });
      });
    });
  });
  return repeatedAmong(hashes, r, c);
}

} // namespace specmv
