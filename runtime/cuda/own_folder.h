// Asks the loader about specmv's own library: its folder, and how long it stays loaded.
#pragma once

#include <memory>
#include <string>

namespace specmv {

// Returns the folder of the file that this code was loaded from: libspecmv.so, or the program that
// it is linked into. Empty if the loader does not report it.
std::string ownFolder();

// Keeps the library loaded while the result is held, even if it is closed; null for a program.
std::shared_ptr<void> keepLoaded();

// Returns true if the library was linked to or into the program, so that it is never unloaded.
bool isThereFromStart();

} // namespace specmv
