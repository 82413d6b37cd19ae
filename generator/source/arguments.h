// The parameters of a kernel, and the struct of arguments that it makes of them.
#pragma once

#include "generator/source/declarations.h"

namespace specmv::source {

// Initializes the struct by position, in the order of its members, as C++17 has it, and fills the
// lines of the parameters.
void putInOrder(Declaration &kernel, llvm::ArrayRef<Declaration> types);

} // namespace specmv::source
