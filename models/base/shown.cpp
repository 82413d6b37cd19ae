// Decides which characters a terminal displays rather than interprets.
#include "models/base/shown.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

namespace specmv {

// U+0080 to U+009F (U+009B begins an escape sequence), U+2028 to U+202E and U+2066 to U+2069.
static bool isObeyed(llvm::StringRef character) {
  return (character[0] == '\xc2' && character[1] < '\xa0') ||
         (character.starts_with("\xe2\x80") && character[2] >= '\xa8' && character[2] <= '\xae') ||
         (character.starts_with("\xe2\x81") && character[2] >= '\xa6' && character[2] <= '\xa9');
}

size_t shownBytes(llvm::StringRef text, size_t at) {
  const char c = text[at];
  if (llvm::isASCII(c))
    return llvm::isPrint(c) || c == '\t' ? 1 : 0;
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  const size_t size = llvm::getUTF8SequenceSize(begin + at, begin + text.size());
  return size > 0 && isObeyed(text.substr(at, size)) ? 0 : size;
}

std::string shownOnOneLine(llvm::StringRef text) {
  std::string out;
  out.reserve(text.size());
  forEachShown(
      text, [](size_t) { return false; }, [&](llvm::StringRef piece) { out += piece; });
  return out;
}

} // namespace specmv
