// The order of rows by length, in which SELL and JAD store them.
#pragma once

#include "models/csr.h"

namespace specmv {

// The rows, those of each window of `window` rows by descending length, equally long ones in their
// order. A window of 1 leaves all as they are.
std::vector<int64_t> rowsByLength(const CsrView &a, int64_t window);

} // namespace specmv
