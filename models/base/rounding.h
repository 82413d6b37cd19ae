// Whole numbers divided and rounded up.
#pragma once

#include <cstdint>

namespace specmv {

// a and b are not negative, b is not 0.
constexpr int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }
// The multiple of b that is next to a from above.
constexpr int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

} // namespace specmv
