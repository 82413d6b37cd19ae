// Numbers that set-up kernels and the host that launches them must agree on, each standing here
// once. Constants only: the generator includes this file too.
#pragma once

namespace specmv {

// Threads of the blocks of set-up kernels, unless a kernel says otherwise.
enum : int { kSetupBlock = 256 };

// Counts that a block scans.
enum : int {
  kScanPerThread = 8,
  kScanPerBlock = kSetupBlock * kScanPerThread,
};

// Rows that a block of kOrderBlock threads sorts by length: one window, or several smaller ones.
enum : int {
  kNarrowTile = 1024,
  kWideTile = 16384,
  kOrderBlock = 1024,
};
// Longer rows do not fit the keys, so that the order is wrong if there is one.
enum : unsigned { kMaxOrderedLength = 65535 };

// Elements that a block copies. A thread's loads are in flight together.
enum : int {
  kCopyPerThread = 8,
  kCopyPerBlock = kSetupBlock * kCopyPerThread,
};

// Columns of a padded array that a block packs for kSetupBlock rows, a multiple of those that a
// thread packs together: 8 columns and their values fill whole sectors.
enum : int {
  kPadTogether = 8,
  kPadColumns = 32,
};

// Rows and triplets together that a block packs: the ends of its rows are in shared memory.
enum : int { kTripletItems = 8 * kSetupBlock };

// Rows that a block counts and moves when all rows are ordered by length, and values of a digit.
enum : int {
  kLengthTile = 8 * kSetupBlock,
  kLengthDigits = 256,
  kLengthDigitBits = 8,
};

// Entries whose new values a block stores at a time: as many as fit 32 KB of shared memory in
// double, and a power of two, since their slots are sorted.
enum : int { kPlaceBits = 12, kValuesPerChunk = 1 << kPlaceBits };

} // namespace specmv
