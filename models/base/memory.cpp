// Asks Linux how much memory is available, and lets LLVM throw where there is none.
#include "models/base/memory.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <mutex>
#include <new>
#include <string>

namespace specmv {

// --- Memory --------------------------------------------------------------------------------------

// Installs a handler for LLVM that throws.

// LLVM is built without exceptions but with unwind tables, so this exception passes through its
// functions; their local objects are then not destroyed. LLVM holds no lock while it allocates.
[[noreturn]] static void throwBadAlloc(void * /*data*/, const char * /*reason*/, bool /*crash*/) {
  throw std::bad_alloc();
}

void throwWhenMemoryRunsOut() {
  static std::once_flag isInstalled;
  std::call_once(isInstalled, [] { llvm::install_bad_alloc_error_handler(throwBadAlloc); });
}

// --- Machine memory ------------------------------------------------------------------------------

// Asks Linux how much memory is available.

// Converts from kilobytes: the line reads "MemAvailable: 123 kB".
static int64_t availableBytes() {
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("MemAvailable:"))
      return std::atoll(line.c_str() + line.find(':') + 1) * 1024;
  return std::numeric_limits<int64_t>::max();
}

// Returns the number in a file, or -1 if it contains none, such as "max" for no limit.
static int64_t numberIn(const std::string &path) {
  std::ifstream in(path);
  int64_t number = 0;
  return in >> number ? number : -1;
}

// Returns the memory that Linux takes back as soon as somebody needs it: copies of files, also of
// those that were read more than once, and its own tables.
static int64_t droppableBytes(const std::string &path) {
  std::ifstream in(path);
  std::string name;
  int64_t sum = 0;
  for (int64_t bytes = 0; in >> name >> bytes;)
    if (name == "inactive_file" || name == "active_file" || name == "slab_reclaimable")
      sum += bytes;
  return sum;
}

int64_t memoryLeftIn(const std::string &folder) {
  const int64_t limit = numberIn(folder + "/memory.max");
  if (limit < 0)
    return std::numeric_limits<int64_t>::max();
  const int64_t used = numberIn(folder + "/memory.current"),
                kept = std::max<int64_t>(0, used - droppableBytes(folder + "/memory.stat"));
  return std::max<int64_t>(0, limit - kept);
}

static std::atomic<int64_t> pretended = -1; // negative: none

PretendedMemory::PretendedMemory(int64_t bytes) { pretended = bytes; }
PretendedMemory::~PretendedMemory() { pretended = -1; }

int64_t availableMemory() {
  if (const int64_t bytes = pretended; bytes >= 0)
    return bytes;
  return std::min(availableBytes(), memoryLeftIn("/sys/fs/cgroup"));
}

bool memoryHolds(int64_t bytes) {
  constexpr int64_t kNotWorthAsking = 256 << 20; // derived: machines with a GPU have more free
  return bytes <= kNotWorthAsking || bytes <= availableMemory();
}

} // namespace specmv
