// The amount of memory that is available on this machine.
#pragma once

#include <cstdint>
#include <string>

namespace specmv {

// Returns the memory that both the system and the container still have; the largest int64_t if
// neither is known.
int64_t availableMemory();
// Returns the memory that a container has left, by the files of its control group in `folder`; the
// largest int64_t if it has no limit.
int64_t memoryLeftIn(const std::string &folder);

// While an object of this class lives, availableMemory() returns this number instead. For tests,
// which must not depend on the machine.
class PretendedMemory {
public:
  explicit PretendedMemory(int64_t bytes);
  PretendedMemory(const PretendedMemory &) = delete;
  PretendedMemory &operator=(const PretendedMemory &) = delete;
  ~PretendedMemory();
};
constexpr int64_t kMuchMemory = int64_t{1} << 50, kLittleMemory = int64_t{1} << 30;

// Returns false if this machine certainly lacks this much memory. Linux hands out memory that it
// does not have and ends the process when that memory is used, so catching bad_alloc does not
// protect the caller.
bool memoryHolds(int64_t bytes);

} // namespace specmv
