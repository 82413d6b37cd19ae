// The amount of memory that is available on this machine.
#pragma once

#include <cstdint>

namespace specmv {

// The smaller of the memory that the system reports as available and the limit of the container;
// the largest int64_t if neither is known.
int64_t availableMemory();

// Returns false if this machine certainly lacks this much memory. Linux hands out memory that it
// does not have and ends the process when that memory is used, so catching bad_alloc does not
// protect the caller.
bool memoryHolds(int64_t bytes);

} // namespace specmv
