// What the profile's kernels counted, and the profile that it makes.
#pragma once

#include "generator/setup/workspace.h"
#include "models/profile/profile.h"
#include "templates/profile/counts.cuh"

#include <vector>

namespace specmv {

// As counts.cuh arranges them.
using Words = std::vector<uint64_t>;

// What is known from rowPtr alone.
struct CountedRows {
  std::vector<LengthCount> lengths;
  std::vector<SliceCount> slices;
};
CountedRows countedRows(const Words &counts, Words longRows);

// `walked` are the counts of the matrix with ascending rows.
SparsityProfile profileOf(const DeviceCsr &csr, const Fingerprint &fingerprint, CountedRows rows,
                          const Words &walked);

} // namespace specmv
