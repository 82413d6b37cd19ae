// Builds messages that point to a place in a Matrix Market text.
#include "models/lab/matrix_market/text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace specmv::matrixmarket {

// About a line of a terminal, half of it before the word.
constexpr size_t kShownBefore = 50, kShown = 100;
constexpr size_t kShownOfWord = 40;

static std::string printable(llvm::StringRef bytes) {
  std::string result = bytes.str();
  for (char &c : result)
    if (!llvm::isPrint(c))
      c = c == '\t' ? ' ' : '?';
  return result;
}

std::string shown(llvm::StringRef word) {
  bool whole = word.size() <= kShownOfWord;
  return printable(word.take_front(kShownOfWord)) + (whole ? "" : "...");
}

std::string quoted(llvm::StringRef word) { return "'" + shown(word) + "'"; }

namespace {
// A line as it is shown, and the columns of the word in it.
struct Excerpt {
  std::string text;
  size_t begin, end;
};
} // namespace

static Excerpt excerpt(llvm::StringRef line, size_t column, size_t length) {
  size_t first = line.size() <= kShown || column <= kShownBefore ? 0 : column - kShownBefore;
  std::string before = first == 0 ? "" : "...";
  std::string after = line.size() - first <= kShown ? "" : "...";
  Excerpt e{before + printable(line.substr(first, kShown)) + after, 0, 0};
  e.begin = column - first + before.size();
  e.end = std::min(e.begin + std::max<size_t>(length, 1), std::max(e.text.size(), e.begin + 1));
  return e;
}

// Prints the sentence, the line and the caret as LLVM does, but without a location, because the
// column in an excerpt is not the column in the file.
static std::string rendered(const Excerpt &e, const std::string &sentence) {
  llvm::SourceMgr manager;
  std::pair<unsigned, unsigned> range{e.begin, e.end};
  llvm::SMDiagnostic diagnostic(manager, llvm::SMLoc(), "", 1, static_cast<int>(e.begin),
                                llvm::SourceMgr::DK_Error, sentence, e.text, range);
  std::string text;
  llvm::raw_string_ostream out(text);
  diagnostic.print(nullptr, out, /*ShowColors=*/false, /*ShowKindLabel=*/true,
                   /*ShowLocation=*/false);
  out.flush();
  return llvm::StringRef(text).rtrim('\n').str();
}

llvm::Error errorAt(const Source &source, llvm::StringRef word, const std::string &sentence) {
  const auto at = static_cast<size_t>(word.data() - source.text.data());
  llvm::StringRef before = source.text.take_front(at);
  size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0, the first line
  llvm::StringRef line = source.text.substr(lineStart);
  line = line.take_front(line.find('\n')).rtrim('\r');
  size_t column = std::min(at - lineStart, line.size()); // a missing word may be after the CR
  return fail(Status::badInput, "{0}:{1}:{2}: {3}", source.file,
              source.linesBefore + before.count('\n') + 1, column + 1,
              rendered(excerpt(line, column, word.size()), sentence));
}

} // namespace specmv::matrixmarket
