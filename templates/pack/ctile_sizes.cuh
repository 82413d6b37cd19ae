// The place of an entry of column tiles, computed by the host and by the kernels of templates/pack.
#pragma once
#include "shared/constants.cuh"

namespace specmv {

// The slot of the value of entry `at`, counted by tile and row: those of a lane are 32 slots apart,
// so that a warp reads neighbouring ones.
constexpr long long ctileSlot(long long at) {
  const long long inBatch = at % kCtileBatch;
  return at - inBatch + inBatch % kCtileEntries * 32 + inBatch / kCtileEntries;
}

// The consecutive entries of a warp that packs.
enum : int { kCtileOfWarp = 1024 };

} // namespace specmv
