// Counts the properties of profile() plainly: with sets of all tiles and blocks, and with the
// sampling formulas rewritten.
#pragma once

#include "tests/models/profile/profile_cases.h"

#include <unordered_set>

namespace specmv::naive {

// splitmix64's finalizer.
inline uint64_t mixed(uint64_t z) {
  z ^= z >> 30;
  z *= 13787848793156543929ULL;
  z ^= z >> 27;
  z *= 10723151780598845931ULL;
  return z ^ (z >> 31);
}

// The k-th of `parts` samples of 0 .. whole - 1.
inline Count placeIn(Count k, Count parts, Count whole) {
  const auto begin = static_cast<Count>(static_cast<__int128>(k) * whole / parts);
  const auto end = static_cast<Count>(static_cast<__int128>(k + 1) * whole / parts);
  return begin + static_cast<Count>(mixed(static_cast<uint64_t>(k + 1)) %
                                    static_cast<uint64_t>(end - begin));
}

struct Entry {
  Count row, col;
};

// Returns the entries in order of row and column.
inline std::vector<Entry> entriesOf(const ProfileCase &c) {
  std::vector<Entry> entries;
  for (Count i = 0; i < c.rows; ++i) {
    std::vector<int64_t> row = c.columns[static_cast<size_t>(i)];
    std::sort(row.begin(), row.end());
    for (int64_t j : row)
      entries.push_back({i, j});
  }
  return entries;
}

// For each entry, tells whether it is the first of its aligned block of rows x cols.
inline std::vector<bool> firstOf(const std::vector<Entry> &entries, Count rows, Count cols) {
  struct Hash {
    size_t operator()(const std::pair<Count, Count> &block) const {
      return mixed(static_cast<uint64_t>(block.first) * 1000003 +
                   static_cast<uint64_t>(block.second));
    }
  };
  std::unordered_set<std::pair<Count, Count>, Hash> blocks;
  blocks.reserve(entries.size()); // filled often; allocating anew takes noticeable time
  std::vector<bool> first;
  first.reserve(entries.size());
  for (const Entry &e : entries)
    first.push_back(blocks.insert({e.row / rows, e.col / cols}).second);
  return first;
}

inline Count countIn(const std::vector<bool> &first, const std::vector<size_t> &sample) {
  return std::count_if(sample.begin(), sample.end(), [&](size_t e) { return first[e]; });
}

// Whole groups of 24 rows, about as many as have 65,536 entries; at most 4,096 entries of each row.
struct RowSample {
  Count rows = 0;
  std::vector<size_t> entries;
};
inline RowSample sampleRows(const ProfileCase &c, const std::vector<Entry> &entries) {
  const auto nnz = static_cast<Count>(entries.size());
  const Count groups = (c.rows + 23) / 24;
  const Count chosen =
      nnz <= 65536 ? groups
                   : std::max<Count>(1, static_cast<Count>(65536.0 / static_cast<double>(nnz) *
                                                           static_cast<double>(groups)));
  RowSample sample;
  size_t e = 0;
  for (Count k = 0; k < chosen; ++k) {
    const Count top = 24 * placeIn(k, chosen, groups);
    for (Count row = top; row < std::min(top + 24, c.rows); ++row, ++sample.rows) {
      while (e < entries.size() && entries[e].row < row)
        ++e;
      for (size_t n = 0; n < 4096 && e + n < entries.size() && entries[e + n].row == row; ++n)
        sample.entries.push_back(e + n);
    }
  }
  return sample;
}

inline std::vector<size_t> sampleEntries(size_t nnz, size_t most) {
  std::vector<size_t> sample;
  const size_t size = std::min(nnz, most);
  for (size_t k = 0; k < size; ++k)
    sample.push_back(static_cast<size_t>(
        placeIn(static_cast<Count>(k), static_cast<Count>(size), static_cast<Count>(nnz))));
  return sample;
}

} // namespace specmv::naive
