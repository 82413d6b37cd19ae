// What the profile counts of a matrix, entry by entry: the one definition that the host's profile
// and the kernels of templates/profile both compile. They only walk differently.
//
// All functions take rows whose columns ascend (repeated ones are neighbours).
#pragma once

namespace specmv {

using Word64 = unsigned long long;

constexpr int bitWidth(Word64 x) {
#if defined(__CUDA_ARCH__)
  return 64 - __clzll(static_cast<long long>(x));
#else
  return x == 0 ? 0 : 64 - __builtin_clzll(x);
#endif
}

// The finalizer of splitmix64.
constexpr Word64 mixBits(Word64 z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// --- The fingerprint
// ----------------------------------------------------------------------------------

// Two words, by which patterns are told apart: each is a hash of rowPtr plus one of the columns of
// all rows, which ascend in each row. A list is hashed in pieces of kHashed numbers, 0 behind its
// end. A word is the sum over the pieces modulo 2^64, so any number of threads give the same.
//
// A piece gives the sum over its pairs of (a + k) x (b + l), where the sums in brackets have 32
// bits (NH, the hash of UMAC), and k and l are the halves of a number that follows from the place
// of the pair: lists that differ give the same word with a chance of 2^-32.
enum : int { kHashed = 8 };
enum class HashedList { rowPtr, columns };

// The first 64-bit words of the fraction of pi, in order: for both words of both lists.
constexpr Word64 hashSeed(HashedList list, int word) {
  if (list == HashedList::rowPtr)
    return word == 0 ? 0x243f6a8885a308d3ULL : 0x13198a2e03707344ULL;
  return word == 0 ? 0xa4093822299f31d0ULL : 0x082efa98ec4e6c89ULL;
}

// A number of a list as one of 32 bits.
template <class Index> constexpr unsigned hashedNumber(Index v) {
  if constexpr (sizeof(Index) == 4)
    return static_cast<unsigned>(v);
  else
    return static_cast<unsigned>(v) + static_cast<unsigned>(v >> 32) * 2654435769U;
}

// What piece `piece` of a list adds to a word. The pairs' numbers are multiples of the piece's, so
// that they differ by another amount in each piece: else two exchanges of pairs could cancel out.
constexpr Word64 hashOfPiece(const unsigned (&v)[kHashed], HashedList list, int word,
                             long long piece) {
  const Word64 ofPiece = mixBits(static_cast<Word64>(piece) ^ hashSeed(list, word));
  Word64 sum = 0, factor = 1;
  for (int i = 0; i < kHashed; i += 2) {
    const Word64 key = ofPiece * factor;
    const unsigned a = v[i] + static_cast<unsigned>(key);
    const unsigned b = v[i + 1] + static_cast<unsigned>(key >> 32);
    sum += static_cast<Word64>(a) * b;
    factor *= 0x9e3779b97f4a7c15ULL; // 2^64 over the golden ratio
  }
  return sum;
}

// --- Samples
// --------------------------------------------------------------------------------------

// A place in the k-th of `parts` equal parts of 0 .. whole - 1; every k if there are as many parts.
// Where in its part is left to a hash: at equal distances, samples could follow the period of a
// matrix. (Of qcd:l=16, 2,048 entries at equal distances are all the first of their rows.)
constexpr long long evenlySpread(long long k, long long parts, long long whole) {
  const long long each = whole / parts, rest = whole % parts;
  const long long begin = k * each + k * rest / parts;
  const long long size = (k + 1) * each + (k + 1) * rest / parts - begin;
  return begin +
         static_cast<long long>(mixBits(static_cast<Word64>(k) + 1) % static_cast<Word64>(size));
}

// Aligned groups of this many rows are sampled whole, because then blocks of 1, 2, 3, 4, 6 and 8
// rows are. Of a row that is longer than kSampledOfRow, so many first entries are.
enum : int {
  kSampledRows = 24,
  kSampledOfRow = 4096,
  // Entries in the sampled groups, if all groups have the mean number: a fill of 50 percent is then
  // known to 0.4 percent.
  kSampledEntries = 65536,
};

// How many groups are sampled; group k is evenlySpread(k, this, groups).
constexpr long long sampledGroups(long long rows, long long nnz) {
  const long long groups = (rows + kSampledRows - 1) / kSampledRows;
  if (nnz <= kSampledEntries)
    return groups;
  // The quotient first: a product of the two could be too large for 64 bits.
  const double share = static_cast<double>(kSampledEntries) / static_cast<double>(nnz);
  const long long wanted = static_cast<long long>(share * static_cast<double>(groups));
  return wanted < 1 ? 1 : wanted;
}

// For groups of 32 and of 256 rows single entries are sampled, since each is looked for in all rows
// of its group that are above it; entry k is evenlySpread(k, this, nnz).
enum : int { kReuseGroups = 3 }; // of reuseRows()
constexpr int reuseRows(int group) { return group == 0 ? 1 : group == 1 ? 32 : 256; }
constexpr long long sampledForReuse(int groupRows, long long nnz) {
  const long long most = groupRows == reuseRows(1) ? 8192 : 2048;
  return nnz < most ? nnz : most;
}

// Tiles of d x d: of up to kTileSamples entries, that of each is looked at in up to kTileRows of
// its rows.
enum : int { kTileLevels = 13 }; // d = 16, 32, .. 65536
constexpr long long tileSize(int level) { return 16LL << level; }
enum : int { kTileSamples = 64, kTileRows = 32, kDensityBins = 16 };

// --- What is looked for in a row
// ------------------------------------------------------------------

// The first of the entries begin .. end - 1 whose column is not below `key`; `end` if there is
// none.
template <class Index>
constexpr long long lowerBound(const Index *col, long long begin, long long end, long long key) {
  while (begin < end) {
    const long long middle = begin + (end - begin) / 2;
    if (col[middle] < key)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

// The row of entry e.
template <class Index>
constexpr long long rowOfEntry(const Index *rowPtr, long long rows, long long e) {
  long long begin = 0, end = rows;
  while (begin < end) {
    const long long middle = begin + (end - begin) / 2;
    if (rowPtr[middle + 1] <= e)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

// How near the entries begin .. end - 1 of one row come to a column: the least bit width of
// (their column xor it). Tiles of 2^k columns keep an entry and the column together if this is at
// most k. The nearest is a neighbour in the order of columns.
enum : int { kNothingNear = 65 };
template <class Index>
constexpr int nearestWidth(const Index *col, long long begin, long long end, long long column) {
  const long long at = lowerBound(col, begin, end, column);
  int width = kNothingNear;
  if (at < end)
    width = bitWidth(static_cast<Word64>(col[at] ^ column));
  if (at > begin) {
    const int before = bitWidth(static_cast<Word64>(col[at - 1] ^ column));
    width = before < width ? before : width;
  }
  return width;
}

// Counts for tiles of 2^k columns, k = 0 .. 16. The narrowest that is of use is a sector of four
// doubles, so a lesser width counts as kNearEnough. Of tiles of 2^k columns those entries are the
// first whose counted width is above k: for k = 0 and 1 all of them.
enum : int {
  kReuseLevels = 17,
  kNearEnough = 2,
};

// For blocks of c = 1 .. 8 columns, aligned: bit c - 1 is set if one of the entries begin .. end -
// 1 of one row lies in the block of this column.
enum : int { kBlockSides = 8 };
template <class Index>
constexpr unsigned touchedBlocks(const Index *col, long long begin, long long end,
                                 long long column) {
  const long long at = lowerBound(col, begin, end, column);
  // Columns to the nearest entries; what is not within kBlockSides is in no block.
  const long long after = at < end ? col[at] - column : Index{kBlockSides};
  const long long before = at > begin ? column - col[at - 1] : Index{kBlockSides};
  unsigned touched = 0;
  if (after >= kBlockSides && before >= kBlockSides)
    return touched;
  for (int c = 1; c <= kBlockSides; ++c) {
    const auto place = static_cast<Index>(column) % c; // in the block
    if (place + after < c || before <= place)
      touched |= 1U << (c - 1);
  }
  return touched;
}

// The bin of a tile's density, of kDensityBins equal ones: `entries` in `places`, which are at most
// kTileRows rows of the largest tile.
constexpr int densityBin(long long entries, long long places) {
  if (entries >= places)
    return kDensityBins - 1;
  return static_cast<int>(static_cast<unsigned>(entries) * unsigned{kDensityBins} /
                          static_cast<unsigned>(places));
}

} // namespace specmv
