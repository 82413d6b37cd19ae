// The position of a matrix entry in each format. This one definition is compiled by the host's
// packing and by the kernels of templates/pack; only the order in which they visit entries differs.
#pragma once

namespace specmv {

using Slot = long long;

// ELL: entry k of a row; `stride` is the number of rows, rounded up.
constexpr Slot ellSlot(Slot row, Slot k, Slot stride) { return k * stride + row; }

// SELL: entry k of the row in `place`, whose slice begins at slot `start`.
constexpr Slot sellSlot(Slot start, Slot place, Slot k, Slot slice) {
  return start + k * slice + place % slice;
}

// JAD: the entry of the row in `place` on the diagonal that begins at slot `start`. A diagonal has
// slots for whole warps, so each diagonal begins aligned.
constexpr Slot jadSlot(Slot start, Slot place) { return start + place; }
constexpr Slot jadSlotsOfDiagonal(Slot rows) { return (rows + 31) / 32 * 32; }

// DIA: the entry of a row on a diagonal.
constexpr Slot diaSlot(Slot row, Slot diagonal, Slot stride) {
  return ellSlot(row, diagonal, stride);
}

// DIA: a bit for each of the 32 rows from `first` on that comes before `row`.
constexpr unsigned diaBelow(Slot first, Slot row) {
  const Slot count = row <= first ? 0 : row - first < 32 ? row - first : 32;
  return static_cast<unsigned>((1ULL << count) - 1);
}

// DIA: a bit for each of the 32 rows from `first` on whose place on the diagonal with this offset
// is inside the matrix.
constexpr unsigned diaInside(Slot first, Slot offset, Slot rows, Slot cols) {
  const Slot end = rows < cols - offset ? rows : cols - offset;
  return diaBelow(first, end) & ~diaBelow(first, -offset);
}

// CSR5: the lane of an entry, counted over all tiles, and the entry's bit in the lane's flags.
constexpr Slot csr5Lane(Slot entry, Slot sigma) { return entry / sigma; }
constexpr int csr5Bit(Slot entry, Slot sigma) { return static_cast<int>(entry % sigma); }

// CSR5: the slot of entry s of a lane, counted over all tiles.
constexpr Slot csr5Slot(Slot lane, Slot s, Slot omega, Slot sigma) {
  return lane / omega * omega * sigma + s * omega + lane % omega;
}

// BCSR: the block column from which a 16-bit local column counts: 2^15 before the diagonal one.
constexpr Slot bcsrOrigin(Slot blockRow, Slot r, Slot c) { return blockRow * r / c - (1 << 15); }

// BCSR: the place of block k of a block row among the blocks of all steps; its slice begins at step
// `start`. A block row has 2^laneBits lanes.
constexpr Slot bcsrPlace(Slot start, Slot blockRow, Slot k, int laneBits) {
  const Slot inSlice = blockRow & ((32 >> laneBits) - 1);
  return (start + (k >> laneBits)) * 32 + (inSlice << laneBits) + (k & ((1 << laneBits) - 1));
}

// BCSR: the slot of place `bit` of block number `block`; a block has `places` places.
constexpr Slot bcsrSlot(Slot block, Slot bit, Slot places) {
  return (block / 32 * places + bit) * 32 + block % 32;
}

// QCSR in slices: the slot of a line and a lane. Entry k of the segment in that lane of a slice is
// in the slice's line k.
constexpr Slot qcsrSlot(Slot line, Slot lane) { return line * 32 + lane; }

} // namespace specmv
