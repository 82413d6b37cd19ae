// Checks the lists of a signature, so that plans are never made from a profile that profile()
// cannot produce.
#include "models/signature/fields.h"

#include <algorithm>

namespace specmv {

// Lengths ascend, and their rows are all `rows` rows and have nnz entries together.
bool lengthsHold(const SparsityProfile &p) {
  Count rows = 0, entries = 0, before = -1;
  for (const LengthCount &l : p.lengths) {
    Count product;
    if (l.length <= before || l.rows <= 0 || __builtin_add_overflow(rows, l.rows, &rows) ||
        __builtin_mul_overflow(l.length, l.rows, &product) ||
        __builtin_add_overflow(entries, product, &entries))
      return false;
    before = l.length;
  }
  return rows == p.rows && entries == p.nnz;
}

bool diagonalsHold(const SparsityProfile &p) {
  for (size_t i = 0; i < p.diagonals.size(); ++i)
    if (p.diagonals[i].entries <= 0 ||
        (i > 0 && p.diagonals[i].offset <= p.diagonals[i - 1].offset))
      return false;
  return static_cast<Count>(p.diagonals.size()) ==
         std::min(p.occupiedDiagonals, kMaxListedDiagonals);
}

// The key of an item: the item with all counts 0.
static SliceCount keyOf(const SliceCount &s) { return {s.slice, s.window, 0}; }
static SpanCount keyOf(const SpanCount &s) { return {s.blockRows, 0, 0}; }
static TileCount keyOf(const TileCount &t) { return {t.d, 0, 0, 0, {}}; }
static SectorCount keyOf(const SectorCount &s) { return {s.groupRows, 0, 0, 0}; }

static bool counted(const SliceCount &s) { return s.padded >= 0; }
static bool counted(const SpanCount &s) { return s.total >= 0 && s.longest >= 0; }
static bool counted(const TileCount &t) {
  return t.tiles >= 0 && t.segments >= 0 && t.padded16 >= 0 &&
         std::all_of(t.density.begin(), t.density.end(),
                     [](const DensityBin &bin) { return bin.tiles >= 0 && bin.entries >= 0; });
}
static bool counted(const SectorCount &s) {
  return s.sampledEntries >= 0 && s.sectorsF32 >= 0 && s.sectorsF64 >= 0;
}

// Every profile has items with the same keys in the same order, also that of an empty matrix.
template <class T> static bool itemsHold(const std::vector<T> &list, const std::vector<T> &keys) {
  return std::equal(
      list.begin(), list.end(), keys.begin(), keys.end(),
      [](const T &item, const T &key) { return keyOf(item) == key && counted(item); });
}

static SparsityProfile ofNothing() { return profile(CsrView{}); }

bool slicesHold(const SparsityProfile &p) { return itemsHold(p.slices, ofNothing().slices); }
bool spansHold(const SparsityProfile &p) { return itemsHold(p.spans, ofNothing().spans); }
bool tilesHold(const SparsityProfile &p) { return itemsHold(p.tiles, ofNothing().tiles); }
bool sectorsHold(const SparsityProfile &p) { return itemsHold(p.sectors, ofNothing().sectors); }

} // namespace specmv
