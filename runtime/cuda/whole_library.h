// Detects a truncated shared library before the loader maps it.
#pragma once

#include <string>

namespace specmv {

// Returns why the loader must not be given the file `path`: it is no regular file, so that opening
// it might block, or it is shorter than its ELF headers say, so that using it would end the process
// (SIGBUS). "" if nothing is wrong, or if the loader itself reports the problem (no file, no ELF
// file).
std::string whyNotWhole(const std::string &path);

} // namespace specmv
