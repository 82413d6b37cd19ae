// The folder that specmv itself was loaded from.
#pragma once

#include <memory>
#include <string>

namespace specmv {

// The folder of the file that this code was loaded from: libspecmv.so, or the program that it is
// linked into. Empty if the loader does not tell.
std::string ownFolder();

// Keeps the library loaded while it is held, whoever closes it; null for a program.
std::shared_ptr<void> keepLoaded();

} // namespace specmv
