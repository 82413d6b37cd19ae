// Converts maps of counts, which tests fill by plain counting, to the lists of a profile.
#pragma once

#include "models/profile/profile.h"

#include <map>
#include <vector>

namespace specmv {

// Makes a LengthCount or DiagonalCount of each pair.
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
