// Checks the bytes and the tokens of a text of a fused step, and where it fails, says so.
#pragma once

#include "generator/fusion/tokens.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace specmv {

// A sentence about a place of the text that is called `what`.
std::string atPlace(const char *what, const Token &place, const std::string &sentence);

// Returns the tokens of a text that has nothing but bytes, operators, numbers and keywords of the
// language; otherwise fails with Status::badCall.
llvm::Expected<std::vector<Token>> tokensOf(llvm::StringRef text, const char *what);

// A piece of a text for a sentence, which is cut if it is long.
std::string shortened(llvm::StringRef text);

} // namespace specmv
