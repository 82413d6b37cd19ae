// Escapes bytes that could control a terminal: file names, SPECs and the contents of files can have
// any byte. Colours are added after that.
#include "runtime/cli/terminal.h"

#include "models/base/environment.h"
#include "models/base/lasting.h"
#include "models/base/shown.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Process.h"

#include <cstdlib>
#include <vector>

namespace specmv::cli {

static std::vector<std::string> &given() {
  static Lasting<std::vector<std::string>> words;
  return *words;
}

void rememberName(llvm::StringRef name) {
  if (name.contains('\n') && !llvm::is_contained(given(), name))
    given().push_back(name.str());
}

void rememberGiven(int argc, const char *const *argv) {
  given().clear();
  for (int i = 0; i < argc; ++i)
    rememberName(argv[i]);
  for (const char *name : {"SPECMV_CACHE_DIR", "SPECMV_CACHE_PATH", "SPECMV_CUDA_HOME",
                           "SPECMV_DUMP", "SPECMV_GPU_MODEL", "SPECMV_LOG", "SPECMV_MATRICES",
                           "SPECMV_STANDARD_PACK", "XDG_CACHE_HOME", "HOME"})
    rememberName(environment(name));
}

// Returns true if the line end at this position comes from `word`: the text around it is the same
// and is a whole name. Names of matrices and keys are parts of arguments, so the words are compared
// only up to a character that divides names.
static bool isOf(llvm::StringRef word, llvm::StringRef text, size_t at) {
  constexpr llvm::StringLiteral kDividers = "/,:=.\n";
  for (size_t i = word.find('\n'); i != llvm::StringRef::npos; i = word.find('\n', i + 1)) {
    const llvm::StringRef head = word.take_front(i), tail = word.drop_front(i + 1);
    const llvm::StringRef first = head.substr(head.find_last_of(kDividers) + 1),
                          last = tail.substr(0, tail.find_first_of(kDividers));
    llvm::StringRef before = text.take_front(at), after = text.drop_front(at + 1);
    if (first.size() + last.size() > 0 && before.consume_back(first) && after.consume_front(last) &&
        (before.empty() || !llvm::isAlnum(before.back())) &&
        (after.empty() || !llvm::isAlnum(after.front())))
      return true;
  }
  return false;
}

static bool isGiven(llvm::StringRef text, size_t at) {
  return llvm::any_of(given(), [&](const std::string &word) { return isOf(word, text, at); });
}

std::string forTerminal(llvm::StringRef text) {
  std::string out;
  out.reserve(text.size());
  forEachShown(
      text, [&](size_t at) { return !isGiven(text, at); },
      [&](llvm::StringRef piece) { out += piece; });
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
