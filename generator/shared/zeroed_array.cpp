// Asks the system for huge pages for large arrays.
#include "generator/shared/zeroed_array.h"

#include "llvm/Support/Alignment.h"

#include <cstdint>
#include <sys/mman.h>

namespace specmv {

// For smaller arrays page faults cost too little to matter.
constexpr size_t kHugeFrom = 4 << 20;

void expectFilling(void *begin, size_t bytes) {
  constexpr uint64_t kPage = 4096;
  if (bytes < kHugeFrom)
    return;
  const auto first = llvm::alignTo(reinterpret_cast<uintptr_t>(begin), kPage);
  const auto end = reinterpret_cast<uintptr_t>(begin) + bytes;
  // This is only advice, which the system may ignore.
  (void)madvise(reinterpret_cast<void *>(first), end - first, MADV_HUGEPAGE);
}

} // namespace specmv
