// The profile of a matrix that lies on a device: equal to that of models/profile, to the bit.
#pragma once

#include "generator/setup/fingerprint.h"
#include "models/profile/profile.h"

namespace specmv {

// The source of the kernels that profile matrices with these indices, and of that which sorts the
// rows of those that are not sorted.
const KernelSource &profileSource(IndexType index);
const KernelSource &rowSortSource(IndexType index);

// Of a matrix whose hash fingerprintOn() found. nullopt if the host must profile it. Its arrays are
// only read.
llvm::Expected<std::optional<SparsityProfile>> profileOn(Workspace &workspace,
                                                         const PatternHash &hash);

} // namespace specmv
