// Where an entry of the matrix lies in each format: the one definition that the host's packing and
// the kernels of templates/pack both compile. They only walk differently.
#pragma once

namespace specmv {

using Slot = long long;

// ELL: entry k of a row; `stride` is the number of rows, rounded up.
constexpr Slot ellSlot(Slot row, Slot k, Slot stride) { return k * stride + row; }

// SELL: entry k of the row in `place`, whose slice begins at slot `start`.
constexpr Slot sellSlot(Slot start, Slot place, Slot k, Slot slice) {
  return start + k * slice + place % slice;
}

// JAD: the entry of the row in `place` in the diagonal that begins at slot `start`. A diagonal has
// slots for whole warps, so that each begins aligned.
constexpr Slot jadSlot(Slot start, Slot place) { return start + place; }
constexpr Slot jadSlotsOfDiagonal(Slot rows) { return (rows + 31) / 32 * 32; }

} // namespace specmv
