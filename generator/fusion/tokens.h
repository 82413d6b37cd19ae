// Splits the texts of fused steps into tokens as the compiler does, so that a check sees what the
// compiler will see.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace specmv {

// A piece of a text: a word, a number, or one character. Comments and spaces are none.
struct Token {
  llvm::StringRef text; // empty at the end
  int line;
  bool isWord() const;
  // Returns true if nothing is between the two.
  bool follows(const Token &before) const { return text.data() == before.text.end(); }
};

class Tokens {
public:
  explicit Tokens(llvm::StringRef text) : rest_(text) {}

  Token next();
  // The line in which a comment begins that has no end; 0 if there is none before the last token.
  int openComment() const { return openComment_; }

private:
  llvm::StringRef take(size_t length);
  void skipComment();
  void skipSpace();

  llvm::StringRef rest_;
  int line_ = 1, openComment_ = 0;
};

} // namespace specmv
