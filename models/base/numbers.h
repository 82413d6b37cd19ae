// Division that rounds up, means and percentiles, and random numbers that are the same everywhere.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace specmv {

// --- Rounding ------------------------------------------------------------------------------------

// Integer division that rounds up.

// a and b are not negative, b is not 0.
constexpr int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }
// The smallest multiple of b that is not less than a.
constexpr int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

// --- Statistics ----------------------------------------------------------------------------------

// Means and percentiles of measurements.

// Returns the least number that at least `share` of all numbers do not exceed; they must be sorted,
// and there must be one.
inline double percentile(const std::vector<double> &sorted, double share) {
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<size_t>(rank, 1) - 1];
}

// Returns the geometric mean of positive numbers; 0 if there is none.
inline double geometricMean(const std::vector<double> &numbers) {
  double logarithms = 0;
  for (const double number : numbers)
    logarithms += std::log(number);
  return numbers.empty() ? 0 : std::exp(logarithms / static_cast<double>(numbers.size()));
}

// --- Random --------------------------------------------------------------------------------------

// Random numbers that are the same on every machine and compiler: splitmix64 (Steele, Lea and
// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). Each row has a sequence of
// its own, so that rows can be made in any order and by any number of threads.

// The purpose of the numbers: the lengths, columns and values of a row have separate sequences.
enum class Drawn : uint64_t { lengths, columns, values };

class Random {
public:
  explicit constexpr Random(uint64_t state) : state_(state) {}
  // The sequence of one row, or of another numbered part of a matrix.
  constexpr Random(uint64_t seed, Drawn what, int64_t index)
      : state_(mix(mix(mix(seed) + static_cast<uint64_t>(what)) + static_cast<uint64_t>(index))) {}

  constexpr uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15); }

  // Uniform in 0 .. n-1 for 1 <= n < 2^32: floor(next() n / 2^64). The bias, at most n/2^64, is too
  // small to notice.
  constexpr int64_t below(int64_t n) {
    const uint64_t bits = next(), bound = static_cast<uint64_t>(n);
    return static_cast<int64_t>(((bits >> 32) * bound + ((bits & 0xffffffff) * bound >> 32)) >> 32);
  }

  // Uniform in [0, 1): a multiple of 2^-53.
  constexpr double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  // Uniform in (-1, 1) and never 0: an odd multiple of 2^-52.
  constexpr double signedUnit() {
    const int64_t odd = static_cast<int64_t>((next() >> 11) | 1);
    return static_cast<double>(odd - (int64_t{1} << 52)) * 0x1p-52;
  }

  // Uniform in -4 .. 4 without 0.
  constexpr double smallInteger() {
    const int64_t draw = below(8);
    return static_cast<double>(draw < 4 ? draw - 4 : draw - 3);
  }

private:
  static constexpr uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t state_;
};

// Fills out with distinct numbers in 0 .. n-1, ascending; every set is equally likely. out.size()
// <= n < 2^31. Allocates no memory, so it can be called inside parallelFor.
inline void drawDistinct(Random &random, std::span<int32_t> out, int64_t n) {
  const int64_t count = static_cast<int64_t>(out.size());
  if (8 * count > n) { // drawing again would sort many times: Knuth's Algorithm S over all numbers
    for (int64_t number = 0, chosen = 0; chosen < count; ++number)
      if (random.below(n - number) < count - chosen)
        out[static_cast<size_t>(chosen++)] = static_cast<int32_t>(number);
    return;
  }
  for (auto first = out.begin(); first != out.end();) {
    std::generate(first, out.end(), [&] { return static_cast<int32_t>(random.below(n)); });
    std::sort(out.begin(), out.end());
    first = std::unique(out.begin(), out.end());
  }
}

// Adds numbers in lo .. hi-1 to the first `have` elements of out, which ascend and are in lo ..
// hi-1, until out is full. All of out is then distinct and ascending. out.size() <= hi - lo.
inline void extendDistinct(Random &random, std::span<int32_t> out, size_t have, int64_t lo,
                           int64_t hi) {
  const std::span<int32_t> taken = out.first(have), added = out.subspan(have);
  drawDistinct(random, added, hi - lo - static_cast<int64_t>(have));
  size_t skipped = 0; // `added` numbers only the free places: skip those that are taken
  for (int32_t &number : added) {
    int64_t moved = number + lo + static_cast<int64_t>(skipped);
    for (; skipped < have && taken[skipped] <= moved; ++skipped)
      ++moved;
    number = static_cast<int32_t>(moved);
  }
  std::sort(out.begin(), out.end());
}

} // namespace specmv
