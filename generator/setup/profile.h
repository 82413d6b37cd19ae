// The profile of a matrix that lies on a device: equal to that of models/profile, to the bit.
#pragma once

#include "generator/setup/workspace.h"
#include "models/profile/profile.h"

#include <optional>

namespace specmv {

// The source of all kernels that profile matrices with these indices.
const KernelSource &profileSource(IndexType index);

// nullopt if the host must profile this matrix, which also says what is wrong with one that is
// none. Its arrays are only read.
llvm::Expected<std::optional<SparsityProfile>> profileOn(Workspace &workspace);

} // namespace specmv
