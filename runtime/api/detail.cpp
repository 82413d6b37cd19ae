// Keeps sentences in a buffer of fixed size for each thread. A std::string would have to register
// its destructor with the thread, for which glibc needs memory and ends the process without it.
#include "runtime/api/detail.h"

#include <cstddef>
#include <cstring>

namespace specmv {

// Room for a reason of 200 bytes why each of the twenty formats does not fit a matrix. The log of a
// compiler may be longer.
constexpr size_t kDetailBytes = 4096;

static thread_local char keptDetail[kDetailBytes];

// How many of the first `most` bytes are whole characters of UTF-8. What follows the last of them
// begins a character: it is not of the form 10xxxxxx.
static size_t wholeCharacters(const char *text, size_t most) {
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80)
    --most;
  return most;
}

void prepareDetail() noexcept { (void)*static_cast<const volatile char *>(keptDetail); }

void keepDetail(const char *sentence) noexcept {
  constexpr char kCut[] = "...";
  const size_t size = std::strlen(sentence);
  if (size < kDetailBytes) {
    std::memmove(keptDetail, sentence, size + 1); // it may be the one that is kept
    return;
  }
  const size_t kept = wholeCharacters(sentence, kDetailBytes - sizeof kCut);
  std::memmove(keptDetail, sentence, kept);
  std::memcpy(keptDetail + kept, kCut, sizeof kCut);
}

const char *lastDetail() noexcept { return keptDetail; }

} // namespace specmv
