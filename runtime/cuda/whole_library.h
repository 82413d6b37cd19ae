// Tells a shared library that was cut off before the loader maps it.
#pragma once

#include <string>

namespace specmv {

// Why the loader must not be given the file `path`: it is no regular file, on which opening might
// wait, or it lacks bytes that its ELF headers promise, whose use would end the process (SIGBUS).
// "" if nothing is wrong, and where the loader itself says what is (no file, no ELF file).
std::string whyNotWhole(const std::string &path);

} // namespace specmv
