// Computes mean, spread and fractiles of the row lengths (Li, Yang and Li 2015, equations 6, 9, 10
// and 11) from their counts.
#include "models/profile/profile.h"

#include <cmath>

namespace specmv {

namespace {
// Sums over rows of the second and third power of the deviation from the mean.
struct Deviations {
  double squares = 0, cubes = 0;
};
} // namespace

// Takes lengths relative to the shortest, so that the deviation is exactly 0 if all rows have the
// same length, however long they are.
static Deviations deviations(const std::vector<LengthCount> &lengths, double rows) {
  Count shortest = lengths.front().length;
  double sum = 0;
  for (const LengthCount &l : lengths)
    sum += static_cast<double>(l.length - shortest) * static_cast<double>(l.rows);
  double mean = sum / rows;
  Deviations result;
  for (const LengthCount &l : lengths) {
    double d = static_cast<double>(l.length - shortest) - mean;
    double squares = d * d * static_cast<double>(l.rows);
    result.squares += squares;
    result.cubes += squares * d;
  }
  return result;
}

static Count entries(const std::vector<LengthCount> &lengths) {
  Count sum = 0;
  for (const LengthCount &l : lengths)
    sum += l.length * l.rows;
  return sum;
}

// Returns the smallest of the most frequent lengths.
static Count mode(const std::vector<LengthCount> &lengths) {
  LengthCount best{0, 0};
  for (const LengthCount &l : lengths)
    if (l.rows > best.rows)
      best = l;
  return best.length;
}

RowStatistics rowStatistics(const SparsityProfile &p) {
  RowStatistics r;
  if (p.rows == 0 || p.lengths.empty())
    return r;
  auto rows = static_cast<double>(p.rows);
  Deviations d = deviations(p.lengths, rows);
  r.mean = static_cast<double>(entries(p.lengths)) / rows;
  r.variance = d.squares / rows;
  r.std = std::sqrt(r.variance);
  r.skewness = r.std > 0 ? d.cubes / rows / (r.variance * r.std) : 0;
  r.min = p.lengths.front().length;
  r.max = p.lengths.back().length;
  r.mode = mode(p.lengths);
  r.emptyRows = r.min == 0 ? p.lengths.front().rows : 0;
  r.distavg = static_cast<double>(p.distSum) / rows;
  return r;
}

std::vector<Count> fractiles(const std::vector<LengthCount> &lengths, Count w) {
  Count rows = 0;
  for (const LengthCount &l : lengths)
    rows += l.rows;
  std::vector<Count> a;
  Count seen = 0;
  for (const LengthCount &l : lengths) {
    seen += l.rows;
    // P(X <= length) >= i / W, in integers
    while (static_cast<Count>(a.size()) < w &&
           seen * w >= (static_cast<Count>(a.size()) + 1) * rows)
      a.push_back(l.length);
  }
  a.resize(static_cast<size_t>(w)); // a matrix without rows: all 0
  return a;
}

} // namespace specmv
