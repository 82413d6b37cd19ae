// Reads tokens, counts levels, and words what is wrong with a token.
#include "generator/fusion/reader.h"

#include "models/base/error.h"
#include "llvm/ADT/STLExtras.h"

namespace specmv {

// Derived: NVRTC 13.0 takes up to 3 KB of stack for a level and 0.5 KB for an operator of a chain
// (a + a + ...), and so many of both leave half of a stack of 512 KB.
constexpr int kMostTextLevels = 64, kMostTextOperators = 256;

static const Token kEndOfText;

const Token &TextReader::tokenAt(size_t ahead) const {
  return error_.empty() && at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : kEndOfText;
}

Token TextReader::take() {
  const Token out = now();
  at_ += !out.text.empty();
  return out;
}

bool TextReader::takeIf(llvm::StringRef text) {
  const bool isNext = is(text);
  at_ += isNext;
  return isNext;
}

void TextReader::want(llvm::StringRef text) {
  if (!takeIf(text))
    refuseNow(("'" + text + "'").str());
}

// An error at the end is told at the last token.
void TextReader::end(const Token &at, const std::string &sentence) {
  if (!error_.empty())
    return;
  const bool isEnd = at.text.empty() && !tokens_.empty();
  error_ = atPlace(what_, isEnd ? tokens_.back() : at, sentence);
}

static bool isAssignment(llvm::StringRef text) {
  static constexpr llvm::StringLiteral kAll[] = {"=", "+=", "-=", "*=", "/=", "%=", "++", "--"};
  return llvm::is_contained(kAll, text);
}

void TextReader::refuseNow(llvm::StringRef wanted) {
  const Token &at = now();
  if (at.text.empty())
    refuse(at, "{0} is missing at the end", wanted);
  else if (isAssignment(at.text))
    refuse(at,
           "'{0}' is not allowed here: an assignment is a statement of its own; compare with "
           "==, and write a space between two signs",
           at.text);
  else
    refuse(at, "{0} is missing before '{1}'", wanted, shortened(at.text));
}

llvm::Error TextReader::takeError() {
  return error_.empty() ? llvm::Error::success() : failWith(Status::badCall, error_);
}

void TextReader::countOperator(const Token &at) {
  if (++operators_ > kMostTextOperators)
    refuse(at,
           "this is operator {0} of a statement, more than the limit, {1}; divide the "
           "statement into several",
           operators_, kMostTextOperators);
}

void TextReader::enter(int levels) {
  levels_ += levels;
  if (levels_ > kMostTextLevels)
    refuse(now(),
           "brackets, calls, operators and conditions are {0} levels deep, more than the "
           "limit, {1}; store parts in variables",
           levels_, kMostTextLevels);
}

} // namespace specmv
