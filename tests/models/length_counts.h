// Counts in a map, which tests fill by plain counting, as the lists that a profile has.
#pragma once

#include "models/profile/profile.h"

#include <map>
#include <vector>

namespace specmv {

// LengthCount or DiagonalCount for each pair.
template <class Item> std::vector<Item> listOf(const std::map<Count, Count> &counts) {
  std::vector<Item> list;
  list.reserve(counts.size());
  for (const auto &[key, count] : counts)
    list.push_back({key, count});
  return list;
}

inline std::vector<LengthCount> lengthCounts(const std::vector<Count> &rows) {
  std::map<Count, Count> counts;
  for (Count length : rows)
    ++counts[length];
  return listOf<LengthCount>(counts);
}

} // namespace specmv
