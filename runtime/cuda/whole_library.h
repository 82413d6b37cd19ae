// Detects a truncated shared library before the loader maps it.
#pragma once

#include <string>

namespace specmv {

// Returns a reason not to give the file `path` to the loader. It is no regular file, so opening it
// might block. Or it is shorter than its ELF headers say, so using it would end the process
// (SIGBUS). "" if nothing is wrong, or if the loader itself reports the problem (no file, no ELF
// file).
std::string whyNotWhole(const std::string &path);

} // namespace specmv
