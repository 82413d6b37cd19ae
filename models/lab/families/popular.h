// Columns that are drawn more or less often, as pages and words are.
#pragma once

#include "models/lab/families/build.h"

#include <vector>

namespace specmv {

// The column of rank r = 1, 2, ... is drawn with a probability of about 1/r (Zipf's law, by
// octaves): ranks 1, 2 .. 3, 4 .. 7 and so on are equally likely. Popular columns may be anywhere.
class PopularColumns {
public:
  PopularColumns(int64_t cols, uint64_t seed);

  // Adds columns to the first `have` of out, which ascend and are distinct, until out is full. All
  // of out is then distinct and ascending. What repeats again and again, in
  // long rows, gives way to uniformly drawn columns.
  // Allocates nothing. out.size() is at most the number of columns.
  void extend(Random &random, std::span<int32_t> out, size_t have) const;

private:
  int32_t draw(Random &random) const;

  std::vector<int32_t> columnOf_; // of a rank, from 0 on
};

} // namespace specmv
