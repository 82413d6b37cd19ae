// Lists the hottest columns of a matrix: those with the most entries, whose x is read most often.
#pragma once

#include "models/csr.h"

#include <vector>

namespace specmv {

// Returns the columns that hottestOf() (models/profile/column_degrees.h) describes, in ascending
// order. If only some columns with the most counted entries are hot, these are the first ones.
std::vector<int64_t> hottestColumns(const CsrView &a, int64_t most);

} // namespace specmv
