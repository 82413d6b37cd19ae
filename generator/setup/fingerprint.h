// The fingerprint of a matrix on a device, equal to the bit to the one that models/profile
// computes.
#pragma once

#include "generator/setup/workspace.h"
#include "models/profile/fingerprint.h"

#include <optional>

namespace specmv {

// The result of one pass over rowPtr and the columns, in the order of the arrays.
struct PatternHash {
  Fingerprint fingerprint{}; // of the matrix if its rows ascend
  int64_t descents = 0;      // entries whose column is below that of the entry before
};

// The source of the kernel, for matrices with these indices.
const KernelSource &fingerprintSource(IndexType index);

// Returns nullopt if the host must profile the matrix. Either the arrays do not form a matrix, and
// the host says why, or the profile's kernels cannot count a matrix of this size. The CSR arrays
// are only read.
llvm::Expected<std::optional<PatternHash>> fingerprintOn(Workspace &workspace);

// The hash of the matrix with other columns, an array of the workspace that was made from its own.
llvm::Expected<PatternHash> hashOn(Workspace &workspace, const char *columns);

} // namespace specmv
