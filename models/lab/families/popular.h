// Columns of unequal popularity, like web pages and words.
#pragma once

#include "models/lab/families/build.h"

#include <vector>

namespace specmv {

// The law by which the column of rank r = 1, 2, ... is drawn.
enum class Popularity {
  zipf, // about 1/r: all octaves of ranks, 1, 2 .. 3, 4 .. 7 and so on, are equally likely, and
        // so are the ranks within an octave
  squareRoot // about 1/sqrt(r): a quarter of the columns has half of the entries
};

// Draws columns of a popularity. Popular columns may be anywhere.
class PopularColumns {
public:
  PopularColumns(int64_t cols, uint64_t seed, Popularity popularity = Popularity::zipf);

  // Adds columns to the first `have` elements of out, which ascend and are distinct, until out is
  // full. All of out is then distinct and ascending. In long rows, where popular columns keep
  // repeating, the rest is drawn uniformly. Allocates no memory. out.size() is at most the number
  // of columns.
  void extend(Random &random, std::span<int32_t> out, size_t have) const;

private:
  int32_t draw(Random &random) const;

  Popularity popularity_;
  std::vector<int32_t> columnOf_; // by rank, from 0 on
};

} // namespace specmv
