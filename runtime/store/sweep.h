// Removes files that killed processes left in a cache while publishing.
#pragma once

#include "runtime/store/folder.h"

#include "llvm/ADT/StringRef.h"

#include <chrono>

namespace specmv {

// Returns true for names of entries that are, or were, being published.
bool isTemporaryName(llvm::StringRef name);

// The age of a stale file. A process fills its file in milliseconds, on a slow file system in
// seconds, but clocks of file servers may differ by minutes.
constexpr std::chrono::hours kStale{1};

// Removes stale temporary files of a folder of entries. Ignores failures.
void sweep(const Folder &folder);

} // namespace specmv
