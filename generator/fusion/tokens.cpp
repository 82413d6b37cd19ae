// Splits texts into words, numbers, operators and characters.
#include "generator/fusion/tokens.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

#include <algorithm>

namespace specmv {

static bool isWordStart(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool isInWord(char c) { return llvm::isAlnum(c) || c == '_'; }

bool Token::isWord() const { return !text.empty() && isWordStart(text[0]); }
bool Token::isNumber() const {
  return !text.empty() &&
         (llvm::isDigit(text[0]) || (text[0] == '.' && text.size() > 1 && llvm::isDigit(text[1])));
}

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

// The length of the longest operator of C++ at the beginning, if it has several characters;
// otherwise 0. Other spellings of brackets and of # (digraphs, and how trigraphs begin) are among
// them.
static size_t lengthOfOperator(llvm::StringRef text) {
  static constexpr llvm::StringLiteral kOperators[] = {
      "<=>", "<<=", ">>=", "...", "->*", "++", "--", "+=", "-=", "*=", "/=",
      "%=",  "^=",  "&=",  "|=",  "==",  "!=", "<=", ">=", "&&", "||", "<<",
      ">>",  "->",  ".*",  "::",  "##",  "<%", "%>", "<:", ":>", "%:", "?\?"};
  for (const llvm::StringLiteral &one : kOperators) // longer ones come first
    if (text.starts_with(one))
      return one.size();
  return 0;
}

static size_t lengthOfCharacter(llvm::StringRef text) {
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  return std::max(1u, llvm::getUTF8SequenceSize(begin, begin + text.size()));
}

static size_t lengthOfToken(llvm::StringRef text) {
  if (text.empty())
    return 0;
  for (const size_t length :
       {lengthOfNumber(text), text.take_while(isInWord).size(), lengthOfOperator(text)})
    if (length > 0)
      return length;
  return lengthOfCharacter(text);
}

Token Tokens::next() {
  skipSpace();
  return take(lengthOfToken(rest_));
}

Token Tokens::take(size_t length) {
  const Token out{rest_.take_front(length), line_, static_cast<int>(rest_.data() - lineBegin_) + 1};
  if (const size_t last = out.text.rfind('\n'); last != llvm::StringRef::npos)
    lineBegin_ = out.text.data() + last + 1;
  line_ += static_cast<int>(out.text.count('\n'));
  rest_ = rest_.drop_front(out.text.size());
  return out;
}

void Tokens::skipComment() {
  const size_t end = rest_.find("*/", 2); // the star of the beginning does not end it
  const Token comment = take(end == llvm::StringRef::npos ? end : end + 2);
  if (end == llvm::StringRef::npos)
    openComment_ = comment;
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
