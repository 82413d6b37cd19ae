// The arrays that the kernels of value facts fill. Contains only constants, because the generator
// includes this file too.
#pragma once
#include "profile/value_features.cuh"

namespace specmv {

// Slots of the hash tables of different values: four times as many as are listed. A block of
// kSetupBlock threads that looks at the limit before it adds fills at most half of them.
enum : int { kValueSlotBits = 10, kValueSlots = 1 << kValueSlotBits };

// The results of valueFacts() beside the table: the flags, and the number of values other than the
// first; kMostDistinct or more of these are too many to list.
enum : int { kValueFlags = 0, kOtherValues = 1, kValueWords = 2 };

// Slots of the tables of diagonals: a block fills at most kMostComparedDiagonals + kSetupBlock of
// them. A table has the diagonals' keys (offset + 2^63; 0: free), then the largest bits of a value
// of each, then the complements of the least ones.
enum : int { kComparedSlots = 512, kDiagonalTable = 3 * kComparedSlots };

// The results of compareDiagonals() beside the table: whether it is known that values differ or
// there are too many diagonals, and the number of diagonals in the table.
enum : int { kDiffer = 0, kComparedDiagonals = 1, kDiagonalWords = 2 };

} // namespace specmv
