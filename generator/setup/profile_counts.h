// What the profile's kernels counted, and the profile that it makes.
#pragma once

#include "generator/setup/workspace.h"
#include "models/profile/profile.h"
#include "templates/profile/counts.cuh"

#include <vector>

namespace specmv {

// As counts.cuh arranges them.
using Words = std::vector<uint64_t>;

// `rows` were counted on the matrix, with the lengths of the long rows apart; `walked` on the
// matrix with ascending rows.
SparsityProfile profileOf(const DeviceCsr &csr, const Words &rows, Words longRows,
                          const Words &walked);

} // namespace specmv
