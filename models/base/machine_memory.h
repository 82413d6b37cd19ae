// The amount of memory that is available on this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace specmv {

// Returns the memory that both the system and the container still have; the largest int64_t if
// neither is known.
int64_t availableMemory();
// From now on that much is said to be available, whatever the machine has; nothing: what it has.
// Tests use this, so that they do not depend on the machine.
void assumeAvailableMemory(std::optional<int64_t> bytes);
// Returns the memory that a container has left, by the files of its control group in `folder`; the
// largest int64_t if it has no limit.
int64_t memoryLeftIn(const std::string &folder);

// Returns false if this machine certainly lacks this much memory. Linux hands out memory that it
// does not have and ends the process when that memory is used, so catching bad_alloc does not
// protect the caller.
bool memoryHolds(int64_t bytes);

} // namespace specmv
