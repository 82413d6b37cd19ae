// What people are told of a matrix that stands for one of the papers'.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace specmv {

// Of a generated matrix of this name, a sentence that keeps a twin from being taken for the matrix
// itself; empty where it stands for none.
std::string twinNote(llvm::StringRef name);

} // namespace specmv
