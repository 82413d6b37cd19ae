// How much memory this machine still has to give.
#pragma once

#include <cstdint>

namespace specmv {

// What a new allocation could get: what the system calls available, or the limit of the container,
// whichever is less; the largest number where neither is known.
int64_t availableMemory();

// False if this machine certainly does not have so many bytes. Linux gives out memory that it does
// not have and ends the process when the memory is used, so bad_alloc alone does not protect the
// caller.
bool memoryHolds(int64_t bytes);

} // namespace specmv
