// Matrices of full r x c blocks, which BCSR packs on a GPU without a merge: every shape, with empty
// block rows and block rows of several tiles.
#pragma once

#include "generator/format.h"
#include "tests/simt/matrices.h"

namespace specmv::simt {

struct FullBlocksCase {
  TestMatrix matrix;
  Problem problem;
  Plan plan; // with full = 1
  IndexType csrIndex;
};

// The shapes 1 x 1, 1 x 2, ... 8 x 8 in this order, with alternating lanes and types.
std::vector<FullBlocksCase> fullBlocksCases();

} // namespace specmv::simt
