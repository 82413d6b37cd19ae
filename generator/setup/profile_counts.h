// Turns the counts of the profile's kernels into a profile.
#pragma once

#include "generator/setup/workspace.h"
#include "models/profile/profile.h"
#include "templates/profile/counts.cuh"

#include <vector>

namespace specmv {

// The counts, arranged as in counts.cuh.
using Words = std::vector<uint64_t>;

// The part of a profile that follows from rowPtr alone.
struct CountedRows {
  std::vector<LengthCount> lengths;
  std::vector<SliceCount> slices;
};
CountedRows countedRows(const Words &counts, Words longRows);

// `walked` has the counts of the matrix with each row in ascending order.
SparsityProfile profileOf(const DeviceCsr &csr, const Fingerprint &fingerprint, CountedRows rows,
                          const Words &walked);

} // namespace specmv
