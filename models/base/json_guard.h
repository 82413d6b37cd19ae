// Refuses JSON text that would overflow the stack: llvm::json recurses once for each bracket.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace specmv {

// Returns "more than 100 brackets inside one another are too many" if the text nests too deeply to
// be parsed, otherwise "". The JSON that specmv reads nests at most ten deep.
std::string whyTooDeep(llvm::StringRef json);

} // namespace specmv
