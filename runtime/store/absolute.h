// Makes paths absolute, because the host program may change its working directory between calls.
#pragma once

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <string>

namespace specmv {

inline std::string absolutePath(llvm::StringRef path) {
  llvm::SmallString<256> out(path);
  return llvm::sys::fs::make_absolute(out) ? path.str() : out.str().str();
}

} // namespace specmv
