// Makes a profile from the counts of the kernels.
#include "generator/setup/profile_counts.h"

#include "models/base/rounding.h"

#include <algorithm>

namespace specmv {

static Count countAt(const Words &words, int at) {
  return static_cast<Count>(words[static_cast<size_t>(at)]);
}

static std::vector<LengthCount> lengthsOf(const Words &counts, Words longRows) {
  std::vector<LengthCount> out;
  for (int length = 0; length < kCountedLengths; ++length)
    if (const Count rows = countAt(counts, kLengths + length))
      out.push_back({length, rows});
  std::sort(longRows.begin(), longRows.end());
  for (uint64_t length : longRows) {
    if (out.empty() || out.back().length != static_cast<Count>(length))
      out.push_back({static_cast<Count>(length), 0});
    ++out.back().rows;
  }
  return out;
}

static std::vector<SliceCount> paddingOf(const Words &counts) {
  std::vector<SliceCount> out;
  int at = kSlices;
  for (Count window : {1, int{kNarrowWindow}, int{kWideWindow}})
    for (int size = 0; size < kSliceSizes; ++size)
      out.push_back({Count{2} << size, window, countAt(counts, at++)});
  return out;
}

static std::vector<DiagonalCount> listedDiagonals(const Words &counts) {
  std::vector<DiagonalCount> out;
  for (int slot = 0; slot < kDiagonalSlots && counts[kManyDiagonals] == 0; ++slot)
    if (const uint64_t key = counts[size_t{kDiagonalKeys} + static_cast<size_t>(slot)])
      out.push_back(
          {static_cast<Count>(key - (uint64_t{1} << 63)), countAt(counts, kDiagonalCounts + slot)});
  std::sort(out.begin(), out.end(),
            [](const DiagonalCount &a, const DiagonalCount &b) { return a.offset < b.offset; });
  return out;
}

static BlockFill blockFillOf(const Words &counts, const DeviceCsr &csr) {
  BlockFill fill{};
  const int64_t groups = ceilDiv(csr.rows, int64_t{kSampledRows});
  const int64_t sampled = sampledGroups(csr.rows, csr.nnz);
  for (int64_t k = 0; k < sampled; ++k) {
    const int64_t first = evenlySpread(k, sampled, groups) * kSampledRows;
    fill.sampledRows += std::min<int64_t>(kSampledRows, csr.rows - first);
  }
  fill.sampledEntries = countAt(counts, kSampledInGroups);
  for (int r = 0; r < kBlockSides; ++r)
    for (int c = 0; c < kBlockSides; ++c)
      fill.blocks[static_cast<size_t>(r)][static_cast<size_t>(c)] =
          countAt(counts, kBlocks + r * kBlockSides + c);
  return fill;
}

static std::vector<LineCount> linesOf(const Words &counts) {
  std::vector<LineCount> out;
  int at = kLines;
  for (Count window : {1, int{kLineWindow}}) {
    LineCount count{window, countAt(counts, at++), {}};
    for (Count &fours : count.fours)
      fours = countAt(counts, at++);
    out.push_back(count);
  }
  return out;
}

static std::vector<ReuseCount> reuseOf(const Words &counts) {
  std::vector<ReuseCount> out;
  for (int group = 0; group < kReuseGroups; ++group) {
    ReuseCount count{reuseRows(group), 0, {}};
    Count wider = 0; // entries with a width above the level
    for (int bin = kReuseBins - 1; bin >= 0; --bin) {
      if (bin < kReuseLevels)
        count.first[static_cast<size_t>(bin)] = wider;
      wider += countAt(counts, kReuse + group * kReuseBins + bin);
    }
    count.sampledEntries = wider;
    out.push_back(count);
  }
  return out;
}

CountedRows countedRows(const Words &counts, Words longRows) {
  return {lengthsOf(counts, std::move(longRows)), paddingOf(counts)};
}

SparsityProfile profileOf(const DeviceCsr &csr, const Fingerprint &fingerprint, CountedRows rows,
                          const Words &walked) {
  SparsityProfile p;
  p.rows = csr.rows;
  p.cols = csr.cols;
  p.nnz = csr.nnz;
  p.fingerprint = fingerprint;
  p.lengths = std::move(rows.lengths);
  p.distSum = countAt(walked, kDistSum);
  p.bandwidth = countAt(walked, kBandwidth);
  p.diagonals = listedDiagonals(walked);
  p.occupiedDiagonals = walked[kManyDiagonals] ? kMaxListedDiagonals + 1 : std::ssize(p.diagonals);
  p.blockFill = blockFillOf(walked, csr);
  p.slices = std::move(rows.slices);
  p.lines = linesOf(walked);
  for (int size = 0; size < kSpanSizes; ++size)
    p.spans.push_back({Count{kRangeRows} << size, countAt(walked, kSpanTotal + size),
                       countAt(walked, kSpanLongest + size)});
  p.reuse = reuseOf(walked);
  for (int level = 0; level < kTileLevels; ++level) {
    TileDensity tiles{tileSize(level), std::min<Count>(kTileSamples, csr.nnz), {}};
    for (int bin = 0; bin < kDensityBins; ++bin)
      tiles.bins[static_cast<size_t>(bin)] = countAt(walked, kTiles + level * kDensityBins + bin);
    p.tiles.push_back(tiles);
  }
  p.sampled = p.blockFill.sampledEntries < p.nnz;
  for (const ReuseCount &count : p.reuse)
    p.sampled |= count.sampledEntries < p.nnz;
  return p;
}

} // namespace specmv
