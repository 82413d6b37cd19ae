// Maps the library's statuses to those of the C API, and keeps sentences in a buffer for each
// thread.
#include "runtime/api/guarded.h"

#include "models/base/text.h"

#include <cstddef>
#include <cstring>

namespace specmv {

// --- Detail --------------------------------------------------------------------------------------

// Keeps sentences in a buffer of fixed size for each thread. A thread_local std::string would have
// to register its destructor, for which glibc allocates memory and ends the process if it cannot.

// Enough for twenty formats, each with 200 bytes on why it does not fit a matrix. A compiler's log
// may be longer and is then cut.
constexpr size_t kDetailBytes = 4096;

static thread_local char keptDetail[kDetailBytes];

void prepareDetail() noexcept { (void)*static_cast<const volatile char *>(keptDetail); }

void keepDetail(const char *sentence) noexcept {
  constexpr char kCut[] = "...";
  size_t size = 0, uncut = 0; // length of the text, and how much of it leaves room for the dots
  bool isCut = false;
  forEachShown(
      sentence, [](size_t) { return false; },
      [&](llvm::StringRef piece) {
        isCut |= size + piece.size() >= kDetailBytes;
        if (isCut)
          return;
        std::memmove(keptDetail + size, piece.data(), piece.size()); // may be the same buffer
        size += piece.size();
        if (size <= kDetailBytes - sizeof kCut)
          uncut = size;
      });
  if (isCut)
    std::memcpy(keptDetail + uncut, kCut, sizeof kCut);
  else
    keptDetail[size] = 0;
}

const char *lastDetail() noexcept { return keptDetail; }

// --- Guarded -------------------------------------------------------------------------------------

// Maps the library's statuses to those of the C API.

specmvStatus_t statusOf(Status status) {
  switch (status) {
  case Status::badInput:
    return SPECMV_STATUS_INVALID_MATRIX;
  case Status::badCall:
    return SPECMV_STATUS_INVALID_VALUE;
  case Status::notApplicable:
    return SPECMV_STATUS_NOT_APPLICABLE;
  case Status::missing:
  case Status::hostMemory:
    return SPECMV_STATUS_MISSING;
  case Status::noGpu:
    return SPECMV_STATUS_NO_GPU;
  case Status::gpuMemory:
    return SPECMV_STATUS_GPU_MEMORY_FULL;
  case Status::overMaxBytes:
    return SPECMV_STATUS_OVER_MAX_BYTES;
  case Status::noNvrtc:
    return SPECMV_STATUS_NO_NVRTC;
  case Status::notInPacks:
    return SPECMV_STATUS_NOT_IN_PACKS;
  case Status::internal:
    break;
  }
  return SPECMV_STATUS_INTERNAL_ERROR;
}

} // namespace specmv
