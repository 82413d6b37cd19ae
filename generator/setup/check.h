// Checks on a device that CSR arrays form a matrix. It is used where no profile is made, since
// making a profile checks the arrays too.
#pragma once

#include "generator/setup/workspace.h"

namespace specmv {

const KernelSource &checkSource(IndexType index);

// Decides as checkCsr() of models does. Only checkCsr() says what is wrong.
llvm::Expected<bool> formsMatrix(Workspace &workspace);

} // namespace specmv
