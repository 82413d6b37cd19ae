// The hottest columns of a matrix: those with the most entries, whose x is read most often.
#pragma once

#include "models/csr.h"

#include <vector>

namespace specmv {

// Returns at most `most` columns in ascending order: all with at least t entries, for the least t
// at which there are not too many. t is at most kHotDegrees - 1 (templates/pack/hot_sizes.cuh); if
// too many columns have that many entries, the first ones are taken. Columns without entries are
// never hot.
std::vector<int64_t> hottestColumns(const CsrView &a, int64_t most);

} // namespace specmv
