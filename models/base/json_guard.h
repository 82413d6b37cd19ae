// Keeps text of strangers that would overflow the stack from llvm::json, which recurses once a
// bracket.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace specmv {

// "50000 brackets are too many" where text nests, or might nest, too deep to be parsed; else "".
// What specmv reads has two dozen brackets.
std::string whyTooDeep(llvm::StringRef json);

} // namespace specmv
