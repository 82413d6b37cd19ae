// An amount of memory that the machine is said to have for a while, so that a test does not depend
// on what others use.
#pragma once

#include "models/base/machine_memory.h"

namespace specmv::testing {

class AssumedMemory {
public:
  explicit AssumedMemory(int64_t bytes) { assumeAvailableMemory(bytes); }
  ~AssumedMemory() { assumeAvailableMemory(std::nullopt); }
  AssumedMemory(const AssumedMemory &) = delete;
  AssumedMemory &operator=(const AssumedMemory &) = delete;
};

constexpr int64_t kMuchMemory = int64_t{1} << 50, kLittleMemory = int64_t{1} << 30;

} // namespace specmv::testing
