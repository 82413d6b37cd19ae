// The order of rows by length, in which SELL and JAD store them.
#pragma once

#include "models/csr.h"

namespace specmv {

// All rows, ordered by descending length within each window of `window` rows; equally long rows
// keep their order. A window of 1 changes nothing.
std::vector<int64_t> rowsByLength(const CsrView &a, int64_t window);

} // namespace specmv
