// What the loader knows of specmv itself: the folder, and how long it stays.
#pragma once

#include <memory>
#include <string>

namespace specmv {

// The folder of the file that this code was loaded from: libspecmv.so, or the program that it is
// linked into. Empty if the loader does not tell.
std::string ownFolder();

// Keeps the library loaded while it is held, whoever closes it; null for a program.
std::shared_ptr<void> keepLoaded();

// Whether the library is part of the program since its start, and so is never unloaded: it was
// linked to it, or into it.
bool isThereFromStart();

} // namespace specmv
