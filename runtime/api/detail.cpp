// Keeps sentences in a buffer of fixed size for each thread. A thread_local std::string would have
// to register its destructor, for which glibc allocates memory and ends the process if it cannot.
#include "runtime/api/detail.h"

#include <cstddef>
#include <cstring>

namespace specmv {

// Room for twenty formats with a reason of 200 bytes each why they do not fit a matrix. The log of
// a compiler may be longer and is then cut.
constexpr size_t kDetailBytes = 4096;

static thread_local char keptDetail[kDetailBytes];

// The largest number of bytes, at most `most`, that ends at the end of a UTF-8 character. There the
// next byte starts a character: it is not of the form 10xxxxxx.
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
