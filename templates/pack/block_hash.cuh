// The hash by which a GPU finds equal blocks of values. Tests compile it too, to make blocks that
// collide.
#pragma once
#include "pack/block_sizes.cuh"
#include "profile/features.cuh"

namespace specmv {

// Slots of the hash table in which a GPU finds the different blocks: twice as many as there can be.
constexpr int blockHashSlots(int most) { return 2 * most; }

// A block is hashed by the bits of its values in the order of its places; `valueAt(place)` has
// them.
template <class ValueAt> constexpr Word64 blockHash(int places, const ValueAt &valueAt) {
  Word64 hash = 0;
  for (int place = 0; place < places; ++place)
    hash = mixBits(hash + static_cast<Word64>(valueAt(place)) + 1);
  return hash;
}

} // namespace specmv
