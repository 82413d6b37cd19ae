// Packs a matrix in column tiles (templates/ctile.cuh), for rows whose columns ascend. The rows of
// all tiles are numbered tile by tile: row r of tile t is place t rows + r.
#pragma once
#include "pack/ctile_sizes.cuh"
#include "pack/entries.cuh"
#include "setup/row_search.cuh"

namespace specmv {

// Calls work(row, entry) for all entries. A warp takes consecutive ones, of which each lane follows
// the rows by itself.
template <class Index, class Work>
__device__ __forceinline__ void ctileForEach(const Index *csrRowPtr, Int64 rows, Int64 nnz,
                                             Work &&work) {
  const Int64 begin = (Int64(blockIdx.x) * kSetupBlock + threadIdx.x) / 32 * kCtileOfWarp;
  if (begin >= nnz)
    return;
  const Int64 end = min(begin + kCtileOfWarp, nnz);
  Int64 row = warpRowOfEntry(csrRowPtr, rows, begin);
  for (Int64 entry = begin + threadIdx.x % 32; entry < end; entry += 32) {
    while (Int64(csrRowPtr[row + 1]) <= entry)
      ++row;
    work(row, entry);
  }
}

template <class Index> struct CtileAscentArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  unsigned long long *descents; // one: the warps that found a column less than the one before
  long long rows, nnz;
};

// Looks for rows whose columns do not ascend.
template <class Index>
__device__ __forceinline__ void ctileAscent(const CtileAscentArgs<Index> &a) {
  bool descends = false;
  ctileForEach(a.csrRowPtr, a.rows, a.nnz, [&](Int64 row, Int64 entry) {
    descends |= entry > Int64(a.csrRowPtr[row]) && a.csrCol[entry] < a.csrCol[entry - 1];
  });
  if (__ballot_sync(kFullMask, descends) != 0 && threadIdx.x % 32 == 0)
    atomicAdd(a.descents, 1ULL);
}

template <class Index> struct CtileCutArgs {
  const Index *csrRowPtr;
  const Index *csrCol;
  Index *cut; // by place: the entries of the row that are in tiles before this one; 0 at first
  long long rows, nnz, tiles, width;
};

// Finds the cuts of each row.
template <class Index> __device__ __forceinline__ void ctileCut(const CtileCutArgs<Index> &a) {
  ctileForEach(a.csrRowPtr, a.rows, a.nnz, [&](Int64 row, Int64 entry) {
    const Int64 first = a.csrRowPtr[row], end = Int64(a.csrCol[entry]) / a.width;
    for (Int64 tile = entry > first ? Int64(a.csrCol[entry - 1]) / a.width + 1 : 0; tile <= end;
         ++tile)
      a.cut[tile * a.rows + row] = static_cast<Index>(entry - first);
    if (entry + 1 == Int64(a.csrRowPtr[row + 1]))
      for (Int64 tile = end + 1; tile < a.tiles; ++tile)
        a.cut[tile * a.rows + row] = static_cast<Index>(entry + 1 - first);
  });
}

// Several kernels read these numbers and arrays to find places.
template <class Index> struct CtilePlaces {
  const Index *csrRowPtr;
  const Index *cut;
  const long long *start; // by place, and one more: the first slot, if tiles were not padded
  const long long *shift; // by tile: what padding adds to that
  const long long *end;   // by tile: the slot after its last one
  long long rows, tiles;

  __device__ Int64 count(Int64 place) const {
    const Int64 next = place + rows;
    return (next < rows * tiles ? Int64(cut[next]) : rowLength(csrRowPtr, place % rows)) -
           Int64(cut[place]);
  }
  __device__ Int64 slotOf(Int64 place) const { return start[place] + shift[place / rows]; }
  // The slot after the last one of a place.
  __device__ Int64 endOf(Int64 place) const {
    const Int64 next = place + 1;
    return next % rows == 0 ? end[place / rows] : slotOf(next);
  }
};

template <class Index> struct CtileCountArgs {
  const Index *csrRowPtr;
  const Index *cut;
  long long *start; // receives the slots of each place
  long long rows, tiles;
};

template <class Index> __device__ __forceinline__ void ctileCount(const CtileCountArgs<Index> &a) {
  const CtilePlaces<Index> places{a.csrRowPtr, a.cut, nullptr, nullptr, nullptr, a.rows, a.tiles};
  const Int64 place = Int64(blockIdx.x) * kSetupBlock + threadIdx.x;
  if (place < a.rows * a.tiles)
    a.start[place] = max(Int64(1), places.count(place));
}

struct CtileCollectArgs {
  const long long *start;
  long long *tileStart; // tiles + 1
  long long rows, tiles;
};

// Collects the starts of tiles for the host. One block.
__device__ __forceinline__ void ctileCollect(const CtileCollectArgs &a) {
  for (Int64 tile = threadIdx.x; tile <= a.tiles; tile += kSetupBlock)
    a.tileStart[tile] = a.start[tile * a.rows];
}

template <class Index, class Value> struct CtileMarkArgs {
  CtilePlaces<Index> places;
  Entries<Value> entries;
  unsigned *marks; // a bit for each slot: set if it is the last of its place
  Int16 *local;
  int columns;
};

// Marks the ends of places and fills their padding. One thread for each place.
template <class Index, class Value>
__device__ __forceinline__ void ctileMark(const CtileMarkArgs<Index, Value> &a) {
  const Int64 place = Int64(blockIdx.x) * kSetupBlock + threadIdx.x;
  if (place >= a.places.rows * a.places.tiles)
    return;
  const Int64 end = a.places.endOf(place);
  atomicOr(a.marks + (end - 1) / 32, 1U << ((end - 1) % 32));
  for (Int64 at = a.places.slotOf(place) + a.places.count(place); at < end; ++at) {
    a.local[at] = static_cast<Int16>(a.columns);
    a.entries.put(ctileSlot(at), 0);
  }
}

template <class Index, class Value> struct CtileFillArgs {
  CtilePlaces<Index> places;
  const Index *csrCol;
  Entries<Value> entries;
  Int16 *local;
  long long nnz, width;
};

// Puts each entry into its slot.
template <class Index, class Value>
__device__ __forceinline__ void ctileFill(const CtileFillArgs<Index, Value> &a) {
  const CtilePlaces<Index> &p = a.places;
  ctileForEach(p.csrRowPtr, p.rows, a.nnz, [&](Int64 row, Int64 entry) {
    const Int64 column = a.csrCol[entry], tile = column / a.width;
    const Int64 place = tile * p.rows + row,
                at = p.slotOf(place) + entry - Int64(p.csrRowPtr[row]) - Int64(p.cut[place]);
    a.local[at] = static_cast<Int16>(column - tile * a.width);
    a.entries.put(ctileSlot(at), a.entries.item(true, entry));
  });
}

struct CtileEndsArgs {
  const unsigned *marks;
  Int16 *ends;
  long long batches;
};

// Describes the lanes of each batch. One warp for each batch.
__device__ __forceinline__ void ctileEnds(const CtileEndsArgs &a) {
  const Int64 thread = Int64(blockIdx.x) * kSetupBlock + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const bool exists = thread / 32 < a.batches;
  const unsigned bits =
      exists ? a.marks[thread / 4] >> (lane % 4 * kCtileEntries) & kCtileEndMask : 0;
  int upTo = __popc(bits);
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int below = __shfl_up_sync(kFullMask, upTo, step);
    upTo += lane >= step ? below : 0;
  }
  if (exists)
    a.ends[thread] = static_cast<Int16>(bits | unsigned(upTo - __popc(bits)) << kCtileEntries);
}

template <class Index, class Offset, class Column> struct CtileSharesArgs {
  CtilePlaces<Index> places;
  const int *blockPiece;
  const Column *pieceColumn;
  const long long *pieceBegin, *pieceEnd; // see ctileWorkBefore()
  int *shareBatch;
  Offset *shareRow;
  long long *openRow; // blocks + 1
  long long width, blocks, pieces, warps, batches, endSlots;
};

// With what a warp's share begins.
struct CtileShareStart {
  Int64 batch, place; // its first batch, and the place of the first slot
  bool isOpen;        // true if the place begins before
};

template <class Index, class Offset, class Column>
__device__ __forceinline__ CtileShareStart
ctileStartOf(const CtileSharesArgs<Index, Offset, Column> &a, Int64 piece, Int64 warp) {
  const Int64 rows = a.places.rows, tile = Int64(a.pieceColumn[piece]) / a.width;
  const long long *start = a.places.start + tile * rows; // of the tile's rows
  const Int64 first = start[0], tileSlot = first + a.places.shift[tile];
  const auto slotOf = [&](Int64 row) {
    return row < rows ? start[row] - first : a.places.end[tile] - tileSlot;
  };
  const Int64 work = ctileWorkBefore(a.pieceBegin[piece], a.pieceEnd[piece], warp, a.warps);
  const Int64 batch = ctileSlotAtWork(slotOf, rows, a.endSlots, work) / kCtileBatch,
              slot = batch * kCtileBatch;
  const Int64 row = ctileRowAtWork(slotOf, rows, 0, slot);
  return {tileSlot / kCtileBatch + batch, tile * rows + row, slotOf(row) < slot};
}

// Finds the batches and rows with which shares begin, and the rows that are open between blocks.
// One thread for each share, and one for each block.
template <class Index, class Offset, class Column>
__device__ __forceinline__ void ctileShares(const CtileSharesArgs<Index, Offset, Column> &a) {
  const Int64 thread = Int64(blockIdx.x) * kSetupBlock + threadIdx.x;
  if (thread == a.pieces * a.warps) {
    a.shareBatch[thread] = static_cast<int>(a.batches);
    a.shareRow[thread] = static_cast<Offset>(a.places.rows * a.places.tiles);
  }
  if (thread == a.blocks)
    a.openRow[thread] = kNoRow;
  if (thread < a.pieces * a.warps) {
    const CtileShareStart start = ctileStartOf(a, thread / a.warps, thread % a.warps);
    a.shareBatch[thread] = static_cast<int>(start.batch);
    a.shareRow[thread] = static_cast<Offset>(start.place);
  }
  if (thread < a.blocks) {
    const CtileShareStart start = ctileStartOf(a, a.blockPiece[thread], 0);
    a.openRow[thread] = start.isOpen ? start.place : Int64(kNoRow);
  }
}

} // namespace specmv
