// The profile of a matrix on a device, equal to the bit to the one that models/profile makes.
#pragma once

#include "generator/setup/fingerprint.h"
#include "models/profile/profile.h"

namespace specmv {

// The source of the kernels that profile matrices with these indices, and of the kernel that sorts
// rows.
const KernelSource &profileSource(IndexType index);
const KernelSource &rowSortSource(IndexType index);

// Profiles the matrix, whose hash fingerprintOn() found. Returns nullopt if the host must profile
// it. The CSR arrays are only read.
llvm::Expected<std::optional<SparsityProfile>> profileOn(Workspace &workspace,
                                                         const PatternHash &hash);

} // namespace specmv
