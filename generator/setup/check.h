// Checks on a device that CSR arrays form a matrix, where no profile is made, which checks it too.
#pragma once

#include "generator/setup/workspace.h"

namespace specmv {

const KernelSource &checkSource(IndexType index);

// As checkCsr() of models decides; it says what is wrong.
llvm::Expected<bool> formsMatrix(Workspace &workspace);

} // namespace specmv
