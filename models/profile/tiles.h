// Counts the aligned d x d tiles that have an entry, d = 16 .. 65536, as a quadtree that is built
// from its leaves: the tiles of two strips of d rows are joined into those of a strip of 2d rows.
#pragma once

#include "models/profile/profile.h"

#include <span>

namespace specmv {

constexpr int kTileLevels = 13;
constexpr Count tileSize(int level) { return Count{16} << level; }

// One tile of a strip: its column, counted in tiles, and its number of entries.
struct Tile {
  Count column, entries;
};

// The tiles of one strip: in a slot for each column or, if there are too many columns, in a hash
// table.
class TileTable {
public:
  explicit TileTable(Count columns)
      : direct_(columns <= kMaxDirect), slots_(direct_ ? static_cast<size_t>(columns) : 64) {}

  void add(Tile tile) {
    const size_t place = direct_ ? static_cast<size_t>(tile.column) : find(tile.column);
    Tile &slot = slots_[place];
    if (slot.entries == 0)
      used_.push_back(place);
    slot = {tile.column, slot.entries + tile.entries};
    if (!direct_ && 2 * used_.size() > slots_.size())
      grow();
  }
  // Takes all that was added, in any order; the table is empty afterwards.
  void takeTo(std::vector<Tile> &tiles);

private:
  // A table then has 4 MiB; larger ones are no faster than hashing (32 million random entries on
  // two Xeon cores: 2.9 s of processor time with 2^16 .. 2^18 slots, 3.8 s with 2^12).
  static constexpr Count kMaxDirect = 1 << 18;
  size_t find(Count column) const;
  void grow();

  bool direct_;
  std::vector<Tile> slots_; // free where entries is 0
  std::vector<size_t> used_;
};

// Counts tiles and their density for the levels firstLevel .. endLevel-1. Strips are added from top
// to bottom; those of the first level must not be higher than its tiles.
class TileQuadtree {
public:
  TileQuadtree(Count cols, int firstLevel, int endLevel);

  // Adds entries of the current strip of the first level.
  void add(Tile tile) { tables_[static_cast<size_t>(first_)].add(tile); }
  // Completes the tiles that end before row `row`; with `all`, which is for the end of the matrix
  // or of the rows of this tree, all tiles.
  void closeStrips(Count row, bool all);
  // The tiles of the strip of level endLevel, which belong to another tree; empties it.
  std::vector<Tile> takeRoot();

  void addTo(std::vector<TileCount> &counts) const;

private:
  struct Level {
    Count tiles = 0;
    std::array<DensityBin, kDensityBins> density{};
  };
  void close(int level);

  int first_, end_;
  std::vector<TileTable> tables_;
  std::array<Level, kTileLevels> levels_;
  std::vector<Tile> closing_;
};

// Counts, for all levels, segments (the entries of a row in one tile) and the sum of their lengths
// rounded up to 16.
class SegmentCounter {
public:
  // cols ascend and are not empty.
  void addRow(std::span<const Count> cols);
  void addTo(std::vector<TileCount> &counts) const;

private:
  // Pairs of neighbouring entries by the bit width of the xor of their columns: tiles of 2^k
  // columns separate the two if it is above k.
  using Widths = std::array<Count, 65>;
  static Count segments(const Widths &widths, Count rows, int level);

  Count shortRows_ = 0, longRows_ = 0;
  Widths short_{}, long_{};
  std::array<Count, kTileLevels> longPadded_{}; // short rows have segments of at most 16 entries
};

// Adds the tiles of a row at level 0.
void addLeaves(std::span<const Count> cols, TileQuadtree &tree);

// One TileCount of zeros a level.
std::vector<TileCount> emptyTileCounts();

} // namespace specmv
