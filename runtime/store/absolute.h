// Makes paths absolute, because the host program may change its working directory between calls.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace specmv {

// Returns the path in the working directory of now.
std::string absolutePath(llvm::StringRef path);

// Returns a path that an environment variable gives, absolute. "~" and "~user" at its begin are
// replaced as by a shell, which does not do so after every "=". A relative path is in the working
// directory at the time when this process first asked for it.
std::string environmentPath(const std::string &path);

// Returns the absolute paths in a list, which are separated by colons.
std::vector<std::string> listedPaths(llvm::StringRef list, bool isOfEnvironment);

} // namespace specmv
