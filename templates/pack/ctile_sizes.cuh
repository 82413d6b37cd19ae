// The places of entries in column tiles, and the division of tiles among warps: computed by the
// host and by the kernels of templates/pack.
#pragma once
#include "shared/constants.cuh"

namespace specmv {

// The slot of the value of entry `at`, counted by tile and row: those of a lane are 32 slots apart,
// so that a warp reads neighbouring ones.
constexpr long long ctileSlot(long long at) {
  const long long inBatch = at % kCtileBatch;
  return at - inBatch + inBatch % kCtileEntries * 32 + inBatch / kCtileEntries;
}

// The work in a tile up to a slot is counted in slots: that of the slots before, and for each row
// that ends there, that of `endSlots` more. Returns the last row up to whose first slot the work is
// at most `work`. slotOf(row) is the first slot of a row of the tile, or for `rows` the slot after
// the last one.
template <class SlotOf>
constexpr long long ctileRowAtWork(SlotOf &&slotOf, long long rows, long long endSlots,
                                   long long work) {
  long long low = 0, high = rows - 1;
  while (low < high) {
    const long long middle = low + (high - low + 1) / 2;
    if (slotOf(middle) + endSlots * middle <= work)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

// Returns the last slot up to which the work is at most `work`.
template <class SlotOf>
constexpr long long ctileSlotAtWork(SlotOf &&slotOf, long long rows, long long endSlots,
                                    long long work) {
  const long long row = ctileRowAtWork(slotOf, rows, endSlots, work);
  const long long slot = work - endSlots * row, last = slotOf(row + 1) - 1;
  return slot < last ? slot : last;
}

// A unit of work is that of a batch in which no row ends. Returns, in slots, the work in a piece's
// tile before a warp's share, if the piece is the work from `begin` to `end` units.
constexpr long long ctileWorkBefore(long long begin, long long end, long long warp,
                                    long long warps) {
  return begin * kCtileBatch + (end - begin) * kCtileBatch * warp / warps;
}

// The consecutive entries of a warp that packs.
enum : int { kCtileOfWarp = 1024 };

} // namespace specmv
