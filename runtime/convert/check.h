// Checks that the arrays of a description form a matrix, before other code relies on it.
#pragma once

#include "runtime/convert/description.h"
#include "llvm/Support/Error.h"

namespace specmv {

// Of arrays on the host. Status::badInput with the place and the number at fault.
llvm::Error checkDescription(const MatrixDescription &a);

} // namespace specmv
