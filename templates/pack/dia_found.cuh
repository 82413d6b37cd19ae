// Indices of the results of packing DIA. Contains only constants, because the generator includes
// this file too.
#pragma once

namespace specmv {

// The smallest offset of an entry that is on none of the diagonals, 1 if some rows are left to the
// host, the number of places without an entry, and the number of sets of holes.
enum : int { kDiaStray = 0, kDiaLeft = 1, kDiaHoles = 2, kDiaSets = 3, kDiaFound = 4 };

// Means "no stray": larger than every offset.
enum : long long { kDiaNoStray = 0x7fffffffffffffffLL };

// Means that the rows of a group have no holes: such a group has no slot in the table of sets of
// holes.
enum : unsigned { kNoHoleSlot = 0xffffffffU };

} // namespace specmv
