// The text that is compiled and printed: a source and of the templates that it includes only what
// it uses, with the plan's numbers as constants and the types of its operands as names.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace specmv {

// Compiles without any other file, in C++17. The numbers of a plan take the place of the template
// parameter that stands for it, `if constexpr` of what is known is decided, and a declaration is
// left out unless a kernel reaches it: a function or a specialization for a type is reached only if
// something else names the type, since no argument can have it otherwise.
// A source that includes no template, or whose brackets do not close, is left as it is. Without an
// architecture, the text is for the host executor of tests/simt.
std::string specializedText(llvm::StringRef source, llvm::StringRef architecture);

// Returns the digest of the code that makes this text, as hexadecimal digits.
llvm::StringRef specializerDigest();

} // namespace specmv
