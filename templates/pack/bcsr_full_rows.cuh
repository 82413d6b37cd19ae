// Copies block rows of BCSR whose blocks are all full from CSR rows to a tile in shared memory, and
// checks that each entry is where a full block has it (bcsr_full.cuh).
#pragma once
#include "pack/bcsr_sizes.cuh"
#include "pack/block_row.cuh"
#include "pack/entries.cuh"

namespace specmv {

// A block row of a tile: its first entry, the column from which its columns count, and its blocks.
template <class Index> struct BcsrFullRow {
  Index first, origin;
  int blocks;
};

// The shared memory of a block of threads. Block k of block row i is in place i * rowBlocks + k.
template <class TheIndex, class TheItem> struct BcsrFullTile {
  using Index = TheIndex;
  using Item = TheItem;
  BcsrFullRow<Index> *rows;
  Int64 *starts; // the first step of each slice, and of the one after the last
  Item *items;
  Index *columns; // of the first entry of each block; -1 if there is no block
  int rowBlocks, blockStride;
};

// A lane's work in a round: the entries in one column of one block of a block row.
template <class Index> struct BcsrFullLane {
  int group;         // the block row among those of the warp
  int block, column; // the block among those of the round
  int left;          // the lane with the previous entry; for the first lane of a row, the last lane
  bool isFirst, takes;
  Index gapMask; // bits that must not be set in the gap from the previous column to this one
};

template <class Index, class Args>
__device__ __forceinline__ BcsrFullLane<Index> bcsrFullLane(const Args &a) {
  const int lane = static_cast<int>(threadIdx.x) % 32, perGroup = a.perRound * a.c;
  int group = 0;
#pragma unroll
  for (int i = 1; i < kBcsrMaxGroups; ++i)
    group += lane >= i * perGroup;
  const int at = lane - group * perGroup, block = bcsrColumn(at, a), column = at - block * a.c;
  const int left = at == 0 ? lane + perGroup - 1 : lane - 1;
  const Index sign = ~noColumn<Index>(); // the gap between blocks must not be negative
  return {group,
          block,
          column,
          left % 32,
          at == 0,
          group < a.groups && at < perGroup,
          column == 0 ? sign : ~Index(0)};
}

// The number of rounds whose entries, of `rows` rows each, a lane loads before it uses the first.
constexpr int bcsrRoundsAhead(int rows, int entryBytes) {
  constexpr int kBytes = 72; // in registers
  const int rounds = kBytes / (rows * entryBytes);
  return rounds < 1 ? 1 : rounds > 4 ? 4 : rounds;
}

// A block of a lane in a round: the entry in its first row and that entry's column, the place in
// the tile, whether the tile has this place, and whether the matrix has such a block.
template <class Index> struct BcsrFullBlock {
  Index entry, head;
  int place;
  bool puts, has;
};

// The entries of a lane in some rows and rounds; 0 for missing ones.
template <class Index, class Item, int rounds, int rows> struct BcsrFullBatch {
  Index col[rounds][rows];
  Item item[rounds][rows];
};

// Loads the entries of rows firstRow, firstRow + 1, ... of a block. If isWhole is false, the block
// may end before the last of these rows.
template <bool isWhole, class Item, int rounds, int rows, class Args, class Index>
__device__ __forceinline__ auto bcsrLoadFull(const Args &a, Index length, int firstRow,
                                             const BcsrFullBlock<Index> (&at)[rounds]) {
  BcsrFullBatch<Index, Item, rounds, rows> out;
#pragma unroll
  for (int n = 0; n < rounds; ++n)
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      const Index entry = at[n].entry + (firstRow + i) * length;
      const bool has = at[n].has && (isWhole || firstRow + i < a.r);
      out.col[n][i] = loadOnceIf(has, a.csrCol + entry, Index(0));
      out.item[n][i] = a.entries.item(has, entry);
    }
  return out;
}

// Checks that the columns of the first row ascend, by steps of one within a block, and puts the
// first column of each block into the tile. `left` is the column before, and becomes the last one.
template <class Tile, class Index, int rounds>
__device__ __forceinline__ Index bcsrPutColumns(const Tile &tile, const BcsrFullLane<Index> &lane,
                                                const BcsrFullBlock<Index> (&at)[rounds],
                                                Index &left) {
  Index wrong = 0;
#pragma unroll
  for (int n = 0; n < rounds; ++n) {
    const Index before = __shfl_sync(kFullMask, at[n].head, lane.left);
    const Index gap = at[n].head - (lane.isFirst ? left : before) - 1;
    wrong |= gap & (at[n].has ? lane.gapMask : Index(0));
    left = before; // the first lane of a row receives that of the last lane
    if (lane.column == 0 && at[n].puts)
      tile.columns[at[n].place] = at[n].has ? at[n].head : Index(-1);
  }
  return wrong;
}

// Puts entries into the tile; returns 0 if their columns are those of the first row.
template <bool isWhole, class Args, class Tile, class Batch, class Index, int rounds>
__device__ __forceinline__ Index bcsrPutValues(const Args &a, const Tile &tile, const Batch &batch,
                                               int column, int firstRow,
                                               const BcsrFullBlock<Index> (&at)[rounds]) {
  constexpr int rows = sizeof batch.col[0] / sizeof(Index);
  Index wrong = 0;
#pragma unroll
  for (int n = 0; n < rounds; ++n) {
    auto *const to = tile.items + at[n].place * tile.blockStride + column * a.r + firstRow;
#pragma unroll
    for (int i = 0; i < rows; ++i)
      if (isWhole || firstRow + i < a.r) {
        wrong |= batch.col[n][i] ^ at[n].head;
        if (at[n].puts)
          to[i] = batch.item[n][i];
      }
  }
  return wrong;
}

// A lane's part of a block row: its first entry, the length of a row, the column before, the place
// of the first block, and the numbers of blocks that the tile can hold and that the matrix has.
template <class Index> struct BcsrFullPart {
  Index entry, length, left;
  int place, puts, has;
};

// Fills the places of `blocks` blocks of a block row. Returns 0 if the lane found no fault.
template <int rows, bool isWhole, class Args, class Tile, class Index>
__device__ __forceinline__ Index bcsrFillFullRow(const Args &a, const Tile &tile,
                                                 const BcsrFullLane<Index> &lane,
                                                 BcsrFullPart<Index> part, int blocks) {
  using Item = typename Tile::Item;
  constexpr int rounds = bcsrRoundsAhead(rows, sizeof(Index) + sizeof(Item));
  Index wrong = 0;
#pragma unroll 1
  for (int round = 0; round < blocks; round += rounds * a.perRound) {
    BcsrFullBlock<Index> at[rounds];
#pragma unroll
    for (int n = 0; n < rounds; ++n) {
      const int k = round + n * a.perRound + lane.block;
      at[n] = {part.entry + static_cast<Index>(k) * a.c, 0, part.place + k, k < part.puts,
               k < part.has};
    }
    auto batch = bcsrLoadFull<isWhole, Item, rounds, rows>(a, part.length, 0, at);
#pragma unroll
    for (int n = 0; n < rounds; ++n)
      at[n].head = batch.col[n][0];
    wrong |= bcsrPutColumns(tile, lane, at, part.left);
    wrong |= bcsrPutValues<isWhole>(a, tile, batch, lane.column, 0, at);
    if constexpr (!isWhole)
      for (int i = rows; i < a.r; i += rows) {
        batch = bcsrLoadFull<isWhole, Item, rounds, rows>(a, part.length, i, at);
        wrong |= bcsrPutValues<isWhole>(a, tile, batch, lane.column, i, at);
      }
  }
  return wrong;
}

// Fills the places of `blocks` blocks of each block row of the tile, from number `begin` on.
template <int rows, bool isWhole, class Args, class Tile, class Index>
__device__ __forceinline__ Index bcsrFillFullRows(const Args &a, const Tile &tile,
                                                  const BcsrFullLane<Index> &lane, int begin,
                                                  int blocks) {
  const int tileRows = a.tileSlices << (5 - a.laneBits);
  Index wrong = 0;
#pragma unroll 1
  for (int first = static_cast<int>(threadIdx.x) / 32 * a.groups; first < tileRows;
       first += kSetupBlock / 32 * a.groups) {
    const int own = first + lane.group;
    const bool takes = lane.takes && own < tileRows;
    const BcsrFullRow<Index> &row = tile.rows[takes ? own : 0];
    const Index entry = row.first + static_cast<Index>(begin) * a.c;
    const bool hasLeft = begin > 0 && begin < row.blocks;
    const BcsrFullPart<Index> part{entry + lane.column,
                                   static_cast<Index>(row.blocks) * a.c,
                                   hasLeft ? a.csrCol[entry - 1] : Index(-1),
                                   own * tile.rowBlocks,
                                   takes ? blocks : 0,
                                   takes ? min(row.blocks - begin, blocks) : 0};
    wrong |= bcsrFillFullRow<rows, isWhole>(a, tile, lane, part, blocks);
  }
  return wrong;
}

} // namespace specmv
