// A pattern whose rows ascend, whatever the order of the entries in the matrix.
#pragma once

#include "models/csr.h"

#include <vector>

namespace specmv {

// The pattern itself if the columns of all its rows ascend. Otherwise `sorted` becomes a copy of
// the columns with every row sorted, and the result refers to it.
template <class I> CsrPattern<I> withAscendingRows(const CsrPattern<I> &a, std::vector<I> &sorted);

} // namespace specmv
