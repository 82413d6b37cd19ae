// A matrix whose rows and columns are numbered at random: `shuffled:SPEC`.
#pragma once

#include "models/csr.h"

namespace specmv {

// The prefix of such a SPEC, as the name of a family. No fit uses these matrices.
constexpr const char *kShuffled = "shuffled";

// Numbers the rows of the matrix at random, and the columns alike if it is square; the same in
// every run.
CsrMatrix shuffled(const CsrMatrix &a);

} // namespace specmv
