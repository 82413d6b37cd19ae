// The definition of the profile's counts, entry by entry. The host's profile and the kernels of
// templates/profile both compile it; only the order in which they visit entries differs.
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

// The fingerprint, which distinguishes patterns, has two words. Each is a hash of rowPtr plus a
// hash of the columns of all rows, which ascend in each row. A list is hashed in pieces of kHashed
// numbers, with 0 after its end. A word is the sum over the pieces modulo 2^64, so it does not
// depend on the number of threads.
//
// A piece contributes the sum over its pairs of (a + k) x (b + l), where the sums in brackets have
// 32 bits (NH, the hash of UMAC), and k and l are the halves of a number that depends on the place
// of the pair. Lists that differ give the same word with a probability of 2^-32.
enum : int { kHashed = 8 };
enum class HashedList { rowPtr, columns };

// The first 64-bit words of the fraction of pi, in order, for both words of both lists.
constexpr Word64 hashSeed(HashedList list, int word) {
  if (list == HashedList::rowPtr)
    return word == 0 ? 0x243f6a8885a308d3ULL : 0x13198a2e03707344ULL;
  return word == 0 ? 0xa4093822299f31d0ULL : 0x082efa98ec4e6c89ULL;
}

// Reduces a number of a list to 32 bits.
template <class Index> constexpr unsigned hashedNumber(Index v) {
  if constexpr (sizeof(Index) == 4)
    return static_cast<unsigned>(v);
  else
    return static_cast<unsigned>(v) + static_cast<unsigned>(v >> 32) * 2654435769U;
}

// The contribution of piece `piece` of a list to a word. The pairs' numbers are multiples of the
// piece's number, so that their differences vary from piece to piece: otherwise two exchanges of
// pairs could cancel out.
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

// A place in the k-th of `parts` equal parts of 0 .. whole - 1; every k if there are `whole` parts.
// A hash chooses the place within the part, since samples at equal distances could follow the
// period of a matrix. (In qcd:l=16, 2,048 entries at equal distances are all the first of their
// rows.)
constexpr long long evenlySpread(long long k, long long parts, long long whole) {
  const long long each = whole / parts, rest = whole % parts;
  const long long begin = k * each + k * rest / parts;
  const long long size = (k + 1) * each + (k + 1) * rest / parts - begin;
  return begin +
         static_cast<long long>(mixBits(static_cast<Word64>(k) + 1) % static_cast<Word64>(size));
}

// Aligned groups of this many rows are sampled as a whole, which covers whole blocks of 1, 2, 3, 4,
// 6 and 8 rows. Only the first kSampledOfRow entries of a row are sampled.
enum : int {
  kSampledRows = 24,
  kSampledOfRow = 4096,
  // The number of entries in the sampled groups, if all groups have the mean number: a fill of 50
  // percent is then known to 0.4 percent.
  kSampledEntries = 65536,
};

// The number of sampled groups; group k is evenlySpread(k, this, groups).
constexpr long long sampledGroups(long long rows, long long nnz) {
  const long long groups = (rows + kSampledRows - 1) / kSampledRows;
  if (nnz <= kSampledEntries)
    return groups;
  // Computes the quotient first, since the product of the two could overflow 64 bits.
  const double share = static_cast<double>(kSampledEntries) / static_cast<double>(nnz);
  const long long wanted = static_cast<long long>(share * static_cast<double>(groups));
  return wanted < 1 ? 1 : wanted;
}

// For groups of 32 and of 256 rows, single entries are sampled, since each is searched in all rows
// above it in its group. Entry k is evenlySpread(k, this, nnz).
enum : int { kReuseGroups = 3 }; // for reuseRows()
constexpr int reuseRows(int group) { return group == 0 ? 1 : group == 1 ? 32 : 256; }
constexpr long long sampledForReuse(int groupRows, long long nnz) {
  const long long most = groupRows == reuseRows(1) ? 8192 : 2048;
  return nnz < most ? nnz : most;
}

// Tiles of d x d: for each of up to kTileSamples entries, up to kTileRows rows of its tile are
// examined.
enum : int { kTileLevels = 13 }; // d = 16, 32, .. 65536
constexpr long long tileSize(int level) { return 16LL << level; }
enum : int { kTileSamples = 64, kTileRows = 32, kDensityBins = 16 };

// Windows of kLineWindow rows are sampled for the lines of slices; window k is evenlySpread(k,
// sampledLineWindows(), windows). All together have about kLineEntries entries, which bounds the
// time. Bases have 32 bits, so nothing is sampled of a matrix with more columns.
enum : int { kLineWindow = 1024, kLineWindows = 64, kLineEntries = 1 << 20 };
constexpr long long sampledLineWindows(long long rows, long long cols, long long nnz) {
  if (cols > 0x7fffffff)
    return 0;
  const long long windows = (rows + kLineWindow - 1) / kLineWindow;
  const long long most = windows < kLineWindows ? windows : int{kLineWindows};
  if (nnz <= kLineEntries)
    return most;
  // Computes the quotient first, since the product of the two could overflow 64 bits.
  const double share = static_cast<double>(kLineEntries) / static_cast<double>(nnz);
  const auto wanted = static_cast<long long>(share * static_cast<double>(windows));
  return wanted < 1 ? 1 : wanted < most ? wanted : most;
}

// --- Searches within a row
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

// The distance from a column to the nearest of the entries begin .. end - 1 of one row, as the
// least bit width of (their column xor it). Tiles of 2^k columns keep an entry and the column
// together if this is at most k. The nearest entry is a neighbour in the order of columns.
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

// Constants of the counts for tiles of 2^k columns, k = 0 .. 16. The narrowest useful tile is a
// sector of four doubles, so a smaller width counts as kNearEnough. An entry is the first in its
// tile of 2^k columns if its counted width is above k; for k = 0 and 1, all entries are.
enum : int {
  kReuseLevels = 17,
  kNearEnough = 2,
};

// For aligned blocks of c = 1 .. 8 columns: bit c - 1 is set if one of the entries begin .. end - 1
// of one row lies in the block of this column.
enum : int { kBlockSides = 8 };
template <class Index>
constexpr unsigned touchedBlocks(const Index *col, long long begin, long long end,
                                 long long column) {
  const long long at = lowerBound(col, begin, end, column);
  // The distances to the nearest entries; beyond kBlockSides they are in no common block.
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

// The bin of a tile's density, one of kDensityBins equal bins: `entries` in `places`, which are at
// most kTileRows rows of the largest tile.
constexpr int densityBin(long long entries, long long places) {
  if (entries >= places)
    return kDensityBins - 1;
  return static_cast<int>(static_cast<unsigned>(entries) * unsigned{kDensityBins} /
                          static_cast<unsigned>(places));
}

} // namespace specmv
