// Splits the texts of fused steps into tokens as the compiler does, so that a check sees what the
// compiler will see.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace specmv {

// A piece of a text: a word, a number, an operator, or one other character. Comments and spaces
// are none.
struct Token {
  llvm::StringRef text;     // empty at the end
  int line = 1, column = 1; // columns are bytes
  bool isWord() const;
  bool isNumber() const; // or what the preprocessor takes for one, such as 1..2
};

class Tokens {
public:
  explicit Tokens(llvm::StringRef text) : rest_(text), lineBegin_(text.data()) {}

  Token next();
  // Where a comment begins that has no end, if there is one before the last token; its text is
  // empty otherwise.
  const Token &openComment() const { return openComment_; }

private:
  Token take(size_t length);
  void skipComment();
  void skipSpace();

  llvm::StringRef rest_;
  const char *lineBegin_;
  int line_ = 1;
  Token openComment_;
};

} // namespace specmv
