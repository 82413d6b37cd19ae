// Removes what processes left in a cache that were killed while publishing.
#pragma once

#include "runtime/store/folder.h"

#include "llvm/ADT/StringRef.h"

#include <chrono>

namespace specmv {

// Of an entry that is, or was, being published.
bool isTemporaryName(llvm::StringRef name);

// A process that publishes fills its file in milliseconds, on a slow file system in seconds. Clocks
// of file servers may differ by minutes.
constexpr std::chrono::hours kStale{1};

// Removes the temporary files of a folder of entries that are older. Whatever fails is left.
void sweep(const Folder &folder);

} // namespace specmv
