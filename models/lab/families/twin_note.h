// The note that goes with a generated matrix that stands for one of a paper.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace specmv {

// The note for a generated matrix of this name, so that nobody takes a twin for the matrix itself.
// Empty if it does not stand for another matrix.
std::string twinNote(llvm::StringRef name);

} // namespace specmv
