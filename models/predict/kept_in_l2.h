// Says how much of a matrix stays in L2 from one product to the next.
#pragma once

#include <algorithm>
#include <cstdint>

namespace specmv {

// The share of L2 that data can fill which is read again and again: of the 50 MB of an H100, 24 to
// 25 (tests/bench/README.md).
constexpr double kShareToFill = 0.5;
// A solver has about as many other vectors as x and y.
constexpr double kVectorsOfSolver = 2;
// L2 can keep a number of sixteenths of the lines of the arrays, always the same lines.
constexpr int kSixteenths = 16;

// Returns the sixteenths of the arrays for which L2 has room beside the vectors of a solver. x and
// y have vectorBytes together.
inline int sixteenthsKept(int64_t arrayBytes, int64_t vectorBytes, int64_t l2Bytes) {
  const double room = kShareToFill * static_cast<double>(l2Bytes) -
                      kVectorsOfSolver * static_cast<double>(vectorBytes);
  const double arrays = std::max(1.0, static_cast<double>(arrayBytes));
  return static_cast<int>(kSixteenths * std::clamp(room / arrays, 0.0, 1.0));
}

} // namespace specmv
