// The profile of a matrix that lies on a device: equal to that of models/profile, to the bit.
#pragma once

#include "generator/setup/fingerprint.h"
#include "models/profile/profile.h"

namespace specmv {

// The source of all kernels that profile matrices with these indices.
const KernelSource &profileSource(IndexType index);

// Of a matrix whose hash fingerprintOn() found. nullopt if the host must profile it. Its arrays are
// only read.
llvm::Expected<std::optional<SparsityProfile>> profileOn(Workspace &workspace,
                                                         const PatternHash &hash);

} // namespace specmv
