// Tests what is known of the memory that is left.
#include "models/base/memory.h"

#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

using namespace specmv;

// A former bug: a container that had used its memory up still had its whole limit left.
TEST_CASE("a container has left what its processes do not use, and files in memory do not count") {
  constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
  const ScratchDirectory group("specmv-memory");
  CHECK(memoryLeftIn(group.path()) == kNoLimit);
  writeFile(group.path() + "/memory.max", "max\n");
  writeFile(group.path() + "/memory.current", "7000000000\n");
  CHECK(memoryLeftIn(group.path()) == kNoLimit);
  writeFile(group.path() + "/memory.max", "8000000000\n");
  CHECK(memoryLeftIn(group.path()) == 1000000000);
  writeFile(group.path() + "/memory.stat",
            "anon 4000000000\ninactive_file 1000000000\nactive_file 1500000000\n"
            "slab_reclaimable 500000000\nslab 5\n");
  CHECK(memoryLeftIn(group.path()) == 4000000000);
  writeFile(group.path() + "/memory.current", "9000000000\n");
  writeFile(group.path() + "/memory.stat", "anon 9000000000\n");
  CHECK(memoryLeftIn(group.path()) == 0);
}

TEST_CASE("this machine holds little, and no more than there can be") {
  CHECK(memoryHolds(1 << 20));
  CHECK(availableMemory() > 0);
  CHECK_FALSE(memoryHolds(int64_t{1} << 60));
}
