// Checks the lists of a signature, so that plans are never made from a profile that profile()
// cannot produce.
#include "models/signature/fields.h"

#include <algorithm>

namespace specmv {

// Checks that lengths ascend, and that their rows add up to `rows` and their entries to nnz.
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
  const Count listed = p.occupiedDiagonals <= kMaxListedDiagonals ? p.occupiedDiagonals : 0;
  return p.occupiedDiagonals <= kMaxListedDiagonals + 1 &&
         static_cast<Count>(p.diagonals.size()) == listed;
}

bool blockFillHolds(const SparsityProfile &p) {
  const BlockFill &fill = p.blockFill;
  for (const auto &row : fill.blocks)
    for (Count blocks : row)
      if (blocks < 0 || blocks > fill.sampledEntries)
        return false;
  return fill.sampledRows >= 0 && fill.sampledRows <= p.rows && fill.sampledEntries <= p.nnz;
}

// The key of an item: the item with all counts set to 0.
static SliceCount keyOf(const SliceCount &s) { return {s.slice, s.window, 0}; }
static LineCount keyOf(const LineCount &l) { return {l.window, 0, {}}; }
static SpanCount keyOf(const SpanCount &s) { return {s.blockRows, 0, 0}; }
static ReuseCount keyOf(const ReuseCount &r) { return {r.groupRows, 0, {}}; }
static TileDensity keyOf(const TileDensity &t) { return {t.d, 0, {}}; }

static bool counted(const SliceCount &s) { return s.padded >= 0; }
// A four has one to four lines.
static bool counted(const LineCount &l) {
  Count left = l.lines;
  for (Count count : l.fours)
    if (count < 0 || (left -= count) < 0)
      return false;
  const Count fours = l.lines - left;
  return fours >= l.lines / kLinesTogether + (l.lines % kLinesTogether != 0);
}
static bool counted(const SpanCount &s) { return s.total >= 0 && s.longest >= 0; }
// An entry that is the first in a wider tile is also the first in a narrower one.
static bool counted(const ReuseCount &r) {
  return r.sampledEntries >= r.first.front() && r.first.back() >= 0 &&
         std::is_sorted(r.first.rbegin(), r.first.rend());
}
static bool counted(const TileDensity &t) {
  Count left = t.sampledEntries;
  for (Count entries : t.bins)
    if (entries < 0 || (left -= entries) < 0)
      return false;
  return left == 0;
}

// Every profile, even that of an empty matrix, has items with the same keys in the same order.
template <class T> static bool itemsHold(const std::vector<T> &list, const std::vector<T> &keys) {
  return std::equal(
      list.begin(), list.end(), keys.begin(), keys.end(),
      [](const T &item, const T &key) { return keyOf(item) == key && counted(item); });
}

static SparsityProfile ofNothing() { return profile(CsrView{}); }

// padded / slice is the sum over all slices of their longest rows, so it is at most nnz.
bool slicesHold(const SparsityProfile &p) {
  return itemsHold(p.slices, ofNothing().slices) &&
         std::all_of(p.slices.begin(), p.slices.end(),
                     [&](const SliceCount &s) { return s.padded / s.slice <= p.nnz; });
}
bool linesHold(const SparsityProfile &p) {
  return itemsHold(p.lines, ofNothing().lines) &&
         std::all_of(p.lines.begin(), p.lines.end(),
                     [&](const LineCount &l) { return l.lines <= p.nnz; });
}
bool spansHold(const SparsityProfile &p) { return itemsHold(p.spans, ofNothing().spans); }
// Sample sizes are known, except those of groups of rows, which are chosen by their place.
bool reuseHolds(const SparsityProfile &p) {
  return itemsHold(p.reuse, ofNothing().reuse) &&
         std::all_of(p.reuse.begin(), p.reuse.end(), [&](const ReuseCount &r) {
           return r.sampledEntries == (r.groupRows == 1
                                           ? p.blockFill.sampledEntries
                                           : sampledForReuse(static_cast<int>(r.groupRows), p.nnz));
         });
}
bool tilesHold(const SparsityProfile &p) {
  return itemsHold(p.tiles, ofNothing().tiles) &&
         std::all_of(p.tiles.begin(), p.tiles.end(), [&](const TileDensity &t) {
           return t.sampledEntries == std::min<Count>(kTileSamples, p.nnz);
         });
}

} // namespace specmv
