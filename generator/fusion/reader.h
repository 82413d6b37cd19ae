// Reads the tokens of a text for those who know the grammar. The first error ends the text, so that
// each of them returns soon, and is kept.
#pragma once

#include "generator/fusion/lexical.h"
#include "llvm/Support/FormatVariadic.h"

#include <utility>

namespace specmv {

class TextReader {
public:
  TextReader(std::vector<Token> tokens, const char *what)
      : tokens_(std::move(tokens)), what_(what) {}

  // The next token, and one behind it. At the end they have no text.
  const Token &now() const { return tokenAt(0); }
  const Token &tokenAt(size_t ahead) const;
  bool is(llvm::StringRef text) const { return now().text == text; }
  bool isAtEnd() const { return now().text.empty(); }
  Token take();
  // Takes the next token if it is this one.
  bool takeIf(llvm::StringRef text);
  // Takes this token, or fails.
  void want(llvm::StringRef text);

  template <class... Args> void refuse(const Token &at, const char *format, Args &&...args) {
    end(at, llvm::formatv(format, std::forward<Args>(args)...).str());
  }
  // Refuses the next token, or the end, where `wanted` was wanted.
  void refuseNow(llvm::StringRef wanted);
  // The first error, if there was one.
  llvm::Error takeError();

  // A statement has a limited number of operators.
  void beginStatement() { operators_ = 0; }
  void countOperator(const Token &at);

private:
  friend class TextLevel;
  void end(const Token &at, const std::string &sentence);
  void enter(int levels);

  const std::vector<Token> tokens_;
  const char *const what_;
  size_t at_ = 0;
  int levels_ = 0, operators_ = 0;
  std::string error_;
};

// One more level, or several, as long as it lives: a part of the text within another part.
class TextLevel {
public:
  explicit TextLevel(TextReader &in, int levels = 1) : in_(in), levels_(levels) {
    in_.enter(levels);
  }
  ~TextLevel() { in_.levels_ -= levels_; }
  TextLevel(const TextLevel &) = delete;
  TextLevel &operator=(const TextLevel &) = delete;

private:
  TextReader &in_;
  const int levels_;
};

} // namespace specmv
