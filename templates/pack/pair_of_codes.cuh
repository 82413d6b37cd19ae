// Two numbers of 4 bits in a byte, for the values of two neighbouring slots. The host and the
// kernels of pack/encode_pairs.cuh both compile it.
#pragma once

namespace specmv {

enum : int { kMostInHalfByte = 16 }; // different values

constexpr int pairOfCodes(int even, int odd) { return even | odd << 4; }

} // namespace specmv
