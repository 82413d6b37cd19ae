// Refuses JSON text that would overflow the stack: llvm::json recurses once for each bracket.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace specmv {

// Returns "50000 brackets are too many" if the text might nest too deeply to be parsed, otherwise
// "". The JSON that specmv reads has about two dozen brackets.
std::string whyTooDeep(llvm::StringRef json);

} // namespace specmv
