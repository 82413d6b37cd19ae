// Where specmv itself lies on the disk.
#pragma once

#include <string>

namespace specmv {

// The folder of the file that this code was loaded from: libspecmv.so, or the program that it is
// linked into. Empty where that cannot be told.
std::string ownFolder();

} // namespace specmv
