// Counts the aligned d x d tiles that hold an entry, and how full they are.
#include "models/profile/tiles.h"

#include "models/profile/fingerprint.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace specmv {

// The slot of this column, or the free slot for it.
size_t TileTable::find(Count column) const {
  const size_t mask = slots_.size() - 1;
  size_t place = static_cast<size_t>(mixBits(static_cast<uint64_t>(column))) & mask;
  while (slots_[place].entries != 0 && slots_[place].column != column)
    place = (place + 1) & mask;
  return place;
}

void TileTable::grow() {
  std::vector<Tile> tiles;
  takeTo(tiles);
  slots_.assign(2 * slots_.size(), {});
  for (const Tile &tile : tiles)
    add(tile);
}

void TileTable::takeTo(std::vector<Tile> &tiles) {
  tiles.clear();
  for (size_t place : used_)
    tiles.push_back(std::exchange(slots_[place], {}));
  used_.clear();
}

// The bin of a tile with 2^areaBits places and `entries` entries; more entries than places, which
// duplicates make possible, are in bin 0.
static size_t densityBin(Count entries, int areaBits) {
  const int bits = std::bit_width(static_cast<uint64_t>(entries - 1)); // ceil(log2(entries))
  return static_cast<size_t>(std::clamp(areaBits - bits, 0, kDensityBins - 1));
}

TileQuadtree::TileQuadtree(Count cols, int firstLevel, int endLevel)
    : first_(firstLevel), end_(endLevel) {
  for (int level = 0; level <= kTileLevels; ++level)
    tables_.emplace_back(level < first_ || level > end_ ? 0 : cols / tileSize(level) + 1);
}

void TileQuadtree::close(int level) {
  tables_[static_cast<size_t>(level)].takeTo(closing_);
  Level &counts = levels_[static_cast<size_t>(level)];
  TileTable &parent = tables_[static_cast<size_t>(level) + 1];
  const int areaBits = 2 * std::countr_zero(static_cast<uint64_t>(tileSize(level)));
  counts.tiles += static_cast<Count>(closing_.size());
  for (const Tile &tile : closing_) {
    DensityBin &bin = counts.density[densityBin(tile.entries, areaBits)];
    ++bin.tiles;
    bin.entries += tile.entries;
    if (level + 1 < kTileLevels)
      parent.add({tile.column / 2, tile.entries});
  }
}

void TileQuadtree::closeStrips(Count row, bool all) {
  for (int level = first_; level < end_ && (all || row % tileSize(level) == 0); ++level)
    close(level);
}

std::vector<Tile> TileQuadtree::takeRoot() {
  std::vector<Tile> tiles;
  tables_[static_cast<size_t>(end_)].takeTo(tiles);
  return tiles;
}

void TileQuadtree::addTo(std::vector<TileCount> &counts) const {
  for (size_t level = 0; level < levels_.size(); ++level) {
    counts[level].tiles += levels_[level].tiles;
    for (size_t bin = 0; bin < kDensityBins; ++bin) {
      counts[level].density[bin].tiles += levels_[level].density[bin].tiles;
      counts[level].density[bin].entries += levels_[level].density[bin].entries;
    }
  }
}

void addLeaves(std::span<const Count> cols, TileQuadtree &tree) {
  const Count size = tileSize(0);
  Tile tile{cols[0] / size, 0};
  for (Count col : cols) {
    if (col / size != tile.column) {
      tree.add(tile);
      tile = {col / size, 0};
    }
    ++tile.entries;
  }
  tree.add(tile);
}

std::vector<TileCount> emptyTileCounts() {
  std::vector<TileCount> counts(kTileLevels);
  for (int level = 0; level < kTileLevels; ++level)
    counts[static_cast<size_t>(level)].d = tileSize(level);
  return counts;
}

} // namespace specmv
