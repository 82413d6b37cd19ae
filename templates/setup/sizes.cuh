// Constants on which set-up kernels and the host that launches them must agree, each defined only
// here. Contains only constants, because the generator includes this file too.
#pragma once

namespace specmv {

// Threads per block of set-up kernels, unless a kernel says otherwise.
enum : int { kSetupBlock = 256 };

// The number of counts that a block scans.
enum : int {
  kScanPerThread = 8,
  kScanPerBlock = kSetupBlock * kScanPerThread,
};

// The number of rows that a block of kOrderBlock threads sorts by length: one window, or several
// smaller ones.
enum : int {
  kNarrowTile = 1024,
  kWideTile = 16384,
  kOrderBlock = 1024,
};
// Longer rows do not fit the keys, and would make the order wrong.
enum : unsigned { kMaxOrderedLength = 65535 };

// The number of elements that a block copies. A thread's loads are in flight together.
enum : int {
  kCopyPerThread = 8,
  kCopyPerBlock = kSetupBlock * kCopyPerThread,
};

// The number of entries whose columns a block counts.
enum : int { kDegreeTile = 32 * kSetupBlock };

// The number of columns of a padded array that a block packs for kSetupBlock rows, a multiple of
// those that a thread packs together: 8 columns and their values fill whole sectors.
enum : int {
  kPadTogether = 8,
  kPadColumns = 32,
};

// The number of rows and triplets together that a block packs. The ends of its rows are in shared
// memory.
enum : int { kTripletItems = 8 * kSetupBlock };

// The number of rows that a block counts and moves when all rows are ordered by length, and the
// number of values of a digit.
enum : int {
  kLengthTile = 8 * kSetupBlock,
  kLengthDigits = 256,
  kLengthDigitBits = 8,
};

// A breadth-first search over the rows (setup/search.cuh): the threads of the block that searches
// alone while few rows are at the front, how many rows are few, its levels of a launch, the most
// levels of a search, and the most blocks that search otherwise.
enum : int {
  kSearchThreads = 1024,
  kFewAtFront = 4096,
  kLevelsPerLaunch = 64,
  kMostLevels = 8192,
  kSearchBlocks = 1024,
};
// The state of a search: the rows at the front are those in the places kFrontBegin .. kFrontEnd -
// 1; those after them end at kFrontNext if blocks have met them, else that is -1.
enum : int {
  kFrontBegin,
  kFrontEnd,
  kFrontNext,
  kLevelsDone,
  kFirstUnmet, // no row before it is unmet
  kSearchIsOver,
  kSearchWords,
};
// The longest row whose entries are sorted by their new columns, and the rows that a block sorts.
enum : int { kMostPermutedRow = 1024, kPermutedRows = kSetupBlock / 32 };

// Packing does one of these with each entry, once it knows the entry's slot (pack/entries.cuh).
enum : int {
  kStoreValue,  // stores the value in the slot
  kStoreSlot,   // notes the slot of the entry
  kStoreNothing // nothing: the coding of the values needs no entry
};

// The number of entries whose new values a block stores at a time: as many as fit in 32 KB of
// shared memory in double, and a power of two, since their slots are sorted.
enum : int { kPlaceBits = 12, kValuesPerChunk = 1 << kPlaceBits };

} // namespace specmv
