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

// QCSR in slices: the slot of a line and a lane; entry k of the segment in that lane of a slice is
// in the slice's line k.
constexpr Slot qcsrSlot(Slot line, Slot lane) { return line * 32 + lane; }

} // namespace specmv
