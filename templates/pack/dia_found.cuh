// What the packing of DIA finds out about a matrix. Constants only: the generator includes this
// file too.
#pragma once

namespace specmv {

// The places of what is found: the least offset of an entry that is on none of the diagonals, 1 if
// some rows are left to the host, the number of places without an entry, and that of sets of holes.
enum : int { kDiaStray = 0, kDiaLeft = 1, kDiaHoles = 2, kDiaSets = 3, kDiaFound = 4 };

// Stands for "no stray": larger than every offset.
enum : long long { kDiaNoStray = 0x7fffffffffffffffLL };

// A group whose rows have no holes has no slot in the table of sets of holes.
enum : unsigned { kNoHoleSlot = 0xffffffffU };

} // namespace specmv
