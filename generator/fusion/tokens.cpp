// Splits texts into words, numbers and characters.
#include "generator/fusion/tokens.h"

#include "llvm/ADT/StringExtras.h"

namespace specmv {

static bool isWordStart(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool isInWord(char c) { return llvm::isAlnum(c) || c == '_'; }

bool Token::isWord() const { return !text.empty() && isWordStart(text[0]); }

// The length of the number at the beginning, as the preprocessor sees it (C++20, [lex.ppnumber]);
// 0 if there is none. The f of 2.f is a part of it and not a word.
static size_t lengthOfNumber(llvm::StringRef text) {
  const size_t first = text.starts_with(".") ? 1 : 0;
  if (text.size() <= first || !llvm::isDigit(text[first]))
    return 0;
  size_t length = first + 1;
  for (; length < text.size(); ++length) {
    const char c = text[length];
    const bool isSign =
        (c == '+' || c == '-') && llvm::StringRef("eEpP").contains(text[length - 1]);
    if (!isInWord(c) && c != '.' && !isSign)
      break;
  }
  return length;
}

static size_t lengthOfToken(llvm::StringRef text) {
  if (const size_t length = lengthOfNumber(text))
    return length;
  return text.empty() ? 0 : std::max<size_t>(1, text.take_while(isInWord).size());
}

Token Tokens::next() {
  skipSpace();
  return {take(lengthOfToken(rest_)), line_};
}

llvm::StringRef Tokens::take(size_t length) {
  const llvm::StringRef out = rest_.take_front(length);
  line_ += static_cast<int>(out.count('\n'));
  rest_ = rest_.drop_front(out.size());
  return out;
}

void Tokens::skipComment() {
  const size_t end = rest_.find("*/", 2); // the star of the beginning does not end it
  if (end == llvm::StringRef::npos)
    openComment_ = line_;
  take(end == llvm::StringRef::npos ? end : end + 2);
}

void Tokens::skipSpace() {
  while (!rest_.empty())
    if (llvm::isSpace(rest_[0]))
      take(1);
    else if (rest_.starts_with("//"))
      take(rest_.find('\n'));
    else if (rest_.starts_with("/*"))
      skipComment();
    else
      return;
}

} // namespace specmv
