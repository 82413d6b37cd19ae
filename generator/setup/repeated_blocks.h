// The sample of a matrix's blocks on a device, equal to that of models/profile.
#pragma once

#include "generator/setup/workspace.h"
#include "models/profile/repeated_blocks.h"

namespace specmv {

// The source of the kernel that samples.
const KernelSource &blockSamplesSource(IndexType index, ValueType type);

// Samples blocks of r x c, for which there is always a result. The arrays must form a matrix.
llvm::Expected<std::optional<RepeatedBlocks>> repeatedBlocksOn(Workspace &workspace, int64_t r,
                                                               int64_t c);

} // namespace specmv
