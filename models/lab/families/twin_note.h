// A note on a generated matrix that stands for a matrix of a paper.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace specmv {

// The note for a generated matrix of this name, so that a twin is not mistaken for the original.
// Empty if the matrix does not stand for another one.
std::string twinNote(llvm::StringRef name);

} // namespace specmv
