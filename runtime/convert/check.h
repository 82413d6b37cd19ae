// Checks that the arrays of a description form a matrix, before other code relies on it.
#pragma once

#include "runtime/convert/description.h"
#include "llvm/Support/Error.h"

namespace specmv {

// Checks arrays on the host. Status::badInput names the place and the bad number.
llvm::Error checkDescription(const MatrixDescription &a);

} // namespace specmv
