// The fingerprint of a matrix that lies on a device: equal to that of models/profile, to the bit.
#pragma once

#include "generator/setup/workspace.h"
#include "models/profile/fingerprint.h"

#include <optional>

namespace specmv {

// What one walk over rowPtr and the columns, in the order in which they lie, tells.
struct PatternHash {
  Fingerprint fingerprint{}; // of the matrix if its rows ascend
  int64_t descents = 0;      // entries whose column is below that of the one before, in any row
};

// The source of the kernel, for matrices with these indices.
const KernelSource &fingerprintSource(IndexType index);

// nullopt if the host must look at this matrix: the arrays form none, which it reports, or it has
// sizes that the profile's kernels do not count. Its arrays are only read.
llvm::Expected<std::optional<PatternHash>> fingerprintOn(Workspace &workspace);

// The same of other columns of the workspace, which were made from those of a matrix.
llvm::Expected<PatternHash> hashOn(Workspace &workspace, const char *columns);

} // namespace specmv
