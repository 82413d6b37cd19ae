// The longest rows of groups of rows, for kernels in which the rows of a group wait for each other.
#pragma once

#include "models/profile/profile.h"

namespace specmv {

// The mean over groups of `rows` consecutive rows of the length of the longest row. The profile has
// counted it for 2, 4, .. 128 rows. For more rows it grows as if rows had random places: the
// longest of n is then about as long as one n-th of all rows are.
double longestOfRows(const SparsityProfile &p, int64_t rows);

} // namespace specmv
