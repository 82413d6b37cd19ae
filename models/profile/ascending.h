// Provides a pattern with ascending rows, whatever the order of the entries in the matrix.
#pragma once

#include "models/csr.h"

#include <vector>

namespace specmv {

// Returns the pattern itself if the columns of all its rows ascend. Otherwise `sorted` becomes a
// copy of the columns with every row sorted, and the result refers to it.
template <class I> CsrPattern<I> withAscendingRows(const CsrPattern<I> &a, std::vector<I> &sorted);

} // namespace specmv
