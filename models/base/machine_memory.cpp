// Asks Linux how much memory is available.
#include "models/base/machine_memory.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

namespace specmv {

// Converts from kilobytes: the line reads "MemAvailable: 123 kB".
static int64_t availableBytes() {
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("MemAvailable:"))
      return std::atoll(line.c_str() + line.find(':') + 1) * 1024;
  return std::numeric_limits<int64_t>::max();
}

// The memory limit of the container. The file contains "max" if there is no limit.
static int64_t containerBytes() {
  std::ifstream in("/sys/fs/cgroup/memory.max");
  int64_t bytes = 0;
  return in >> bytes ? bytes : std::numeric_limits<int64_t>::max();
}

int64_t availableMemory() { return std::min(availableBytes(), containerBytes()); }

bool memoryHolds(int64_t bytes) {
  constexpr int64_t kNotWorthAsking = 256 << 20; // derived: machines with a GPU have more free
  return bytes <= kNotWorthAsking || bytes <= availableMemory();
}

} // namespace specmv
