// Escapes what a terminal may obey: file names, SPECs and the contents of files can have any byte.
// Colours are added after that.
#include "runtime/cli/terminal.h"

#include "models/base/environment.h"
#include "models/base/lasting.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Process.h"

#include <cstdlib>
#include <vector>

namespace specmv::cli {

static std::vector<std::string> &given() {
  static Lasting<std::vector<std::string>> words;
  return *words;
}

void rememberGiven(int argc, const char *const *argv) {
  given().clear();
  const auto remember = [](llvm::StringRef word) {
    if (word.contains('\n'))
      given().push_back(word.str());
  };
  for (int i = 0; i < argc; ++i)
    remember(argv[i]);
  for (const char *name :
       {"SPECMV_CACHE_DIR", "SPECMV_CACHE_PATH", "SPECMV_CUDA_HOME", "SPECMV_DUMP", "SPECMV_LOG",
        "SPECMV_MATRICES", "SPECMV_STANDARD_PACK", "XDG_CACHE_HOME", "HOME"})
    remember(environment(name));
}

// Whether the line end at this place is one of `word`: a byte beside it is the same in both. Names
// of matrices and keys are parts of arguments.
static bool isOf(llvm::StringRef word, llvm::StringRef text, size_t at) {
  const auto same = [&](size_t i, size_t j) {
    return i < word.size() && j < text.size() && word[i] == text[j];
  };
  for (size_t i = word.find('\n'); i != llvm::StringRef::npos; i = word.find('\n', i + 1))
    if ((i > 0 && at > 0 && same(i - 1, at - 1)) || same(i + 1, at + 1))
      return true;
  return false;
}

static bool isGiven(llvm::StringRef text, size_t at) {
  return llvm::any_of(given(), [&](const std::string &word) { return isOf(word, text, at); });
}

// U+0080 to U+009F (U+009B begins an escape sequence), U+2028 to U+202E and U+2066 to U+2069.
static bool isObeyed(llvm::StringRef character) {
  return (character[0] == '\xc2' && character[1] < '\xa0') ||
         (character.starts_with("\xe2\x80") && character[2] >= '\xa8' && character[2] <= '\xae') ||
         (character.starts_with("\xe2\x81") && character[2] >= '\xa6' && character[2] <= '\xa9');
}

// How many bytes at this place are one character that may be shown; 0 if there is none.
static size_t shownBytes(llvm::StringRef text, size_t at) {
  const char c = text[at];
  if (c == '\n')
    return isGiven(text, at) ? 0 : 1;
  if (llvm::isASCII(c))
    return llvm::isPrint(c) || c == '\t' ? 1 : 0;
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  const size_t size = llvm::getUTF8SequenceSize(begin + at, begin + text.size());
  return size > 0 && isObeyed(text.substr(at, size)) ? 0 : size;
}

std::string forTerminal(llvm::StringRef text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t shown = shownBytes(text, at);
    if (shown > 0)
      out += text.substr(at, shown);
    else
      out += "\\x" + llvm::toHex(text.substr(at, 1), /*LowerCase=*/true);
    at += std::max<size_t>(shown, 1);
  }
  return out;
}

// --- Colours

bool obeysEscapes(int fd) {
  return llvm::sys::Process::FileDescriptorIsDisplayed(fd) && environment("TERM") != "dumb";
}

bool hasColours(int fd) { return obeysEscapes(fd) && environment("NO_COLOR").empty(); }

std::string inked(Ink ink, llvm::StringRef text) {
  static constexpr const char *kStarts[] = {"\x1b[1m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;36m"};
  return kStarts[static_cast<size_t>(ink)] + text.str() + "\x1b[0m";
}

static std::string withBoldLabel(llvm::StringRef line) {
  const llvm::StringRef label =
      line.take_while([](char c) { return llvm::isAlpha(c) || c == '-'; });
  const bool isLabel = !label.empty() && line.drop_front(label.size()).starts_with("  ");
  return isLabel ? inked(Ink::bold, label) + line.drop_front(label.size()).str() : line.str();
}

std::string withBoldLabels(llvm::StringRef text) {
  std::string out;
  while (!text.empty()) {
    const auto [line, rest] = text.split('\n');
    out += withBoldLabel(line);
    out.append(line.size() < text.size() ? 1 : 0, '\n');
    text = rest;
  }
  return out;
}

} // namespace specmv::cli
