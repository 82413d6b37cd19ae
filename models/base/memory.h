// The memory of this machine, and what happens when there is no more.
#pragma once

#include <cstdint>
#include <string>

namespace specmv {

// --- Memory --------------------------------------------------------------------------------------

// Makes LLVM's containers throw when memory runs out.

// LLVM's own containers (SmallVector, StringMap) end the process when malloc fails. After this call
// they throw std::bad_alloc, as operator new does; the C API and the tool catch it at their
// boundary. This library has a private copy of LLVM, so other users of LLVM in the process are not
// affected. A DenseMap that throws is left broken, so none is used here. Thread-safe; every call
// but the first does nothing.
void throwWhenMemoryRunsOut();

// --- Machine memory ------------------------------------------------------------------------------

// The amount of memory that is available on this machine.

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
