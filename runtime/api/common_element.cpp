// Decides if two sets of lines of memory, each with its own distance between lines, meet. This is a
// question about the multiples of one distance that lie in windows at multiples of the other.
#include "models/base/rounding.h"
#include "runtime/api/arguments.h"
#include "runtime/api/several_product.h"

#include <algorithm>
#include <utility>

namespace specmv {

static uint64_t triangle(uint64_t n) { // 0 + 1 + ... + (n - 1)
  return n % 2 == 0 ? n / 2 * (n - 1) : n * ((n - 1) / 2);
}

// Returns the sum of floor((factor i + offset) / divisor) for i = 0 .. count - 1, modulo 2^64, in
// as many steps as Euclid's algorithm: the lattice points below a line are counted, with x and y
// exchanged in each step.
static uint64_t sumOfFloors(uint64_t count, uint64_t divisor, uint64_t factor, uint64_t offset) {
  uint64_t sum = 0;
  while (count > 0) {
    sum += triangle(count) * (factor / divisor) + count * (offset / divisor);
    factor %= divisor;
    offset %= divisor;
    const uint64_t end = factor * count + offset;
    count = end / divisor;
    offset = end % divisor;
    std::swap(divisor, factor);
  }
  return sum;
}

static int64_t floorDiv(int64_t a, int64_t b) { return a >= 0 ? a / b : -ceilDiv(-a, b); }

// Lines of `a` begin at p * a.leading, those of `b` at distance + q * b.leading. Two of them meet
// if p * a.leading lies in a window at q * b.leading.
static bool meet(const CallerVectors::Lines &a, const CallerVectors::Lines &b, int64_t distance) {
  const int64_t least = distance - (a.width - 1), most = distance + (b.width - 1);
  // The windows that do not lie before the first line of `a`, or behind its last one. In these, any
  // multiple of a.leading means that there is one of a line.
  const int64_t lastOfA = (a.count - 1) * a.leading;
  const int64_t first = std::max<int64_t>(0, -floorDiv(most, b.leading)),
                last = std::min(b.count - 1, floorDiv(lastOfA - least, b.leading));
  if (first > last)
    return false;
  // The sums count the multiples up to the end of each window, and those before its begin. Moving
  // the windows by a multiple of a.leading makes all numbers positive.
  const int64_t begin = least + first * b.leading - 1,
                moved = begin < 0 ? ceilDiv(-begin, a.leading) * a.leading : 0;
  const auto count = static_cast<uint64_t>(last - first + 1),
             divisor = static_cast<uint64_t>(a.leading), factor = static_cast<uint64_t>(b.leading),
             before = static_cast<uint64_t>(begin + moved);
  const auto width = static_cast<uint64_t>(most - least + 1);
  return sumOfFloors(count, divisor, factor, before + width) !=
         sumOfFloors(count, divisor, factor, before);
}

bool haveCommonElement(const CallerVectors &a, const CallerVectors &b, size_t bytesOfValue) {
  if (!overlap(a.pointer, static_cast<size_t>(a.extent()) * bytesOfValue, b.pointer,
               static_cast<size_t>(b.extent()) * bytesOfValue))
    return false;
  const auto bytes = reinterpret_cast<intptr_t>(b.pointer) - reinterpret_cast<intptr_t>(a.pointer);
  return meet(a.lines(), b.lines(), bytes / static_cast<intptr_t>(bytesOfValue));
}

} // namespace specmv
