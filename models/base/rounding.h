// Integer division that rounds up.
#pragma once

#include <cstdint>

namespace specmv {

// a and b are not negative, b is not 0.
constexpr int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }
// The smallest multiple of b that is not less than a.
constexpr int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

} // namespace specmv
