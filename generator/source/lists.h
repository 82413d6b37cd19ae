// Lists of parameters, arguments and members, of which some are taken out.
#pragma once

#include "generator/source/declarations.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace specmv::source {

// Erases `count` tokens, an argument or a parameter that begins at `at`, with its comma, and the
// brackets if it was the only one. `open` is the bracket in front of the first.
void eraseFromList(Tokens &tokens, size_t open, size_t at, size_t count);

// Erases a parameter of the declaration's template; without parameters, it is none any more.
void eraseParameter(Declaration &d, const Tokens &parameter);

// Erases the members of a struct for which the function returns true, which is given their tokens
// to the semicolon, with the comments in front of them and behind them on their line.
void eraseMembers(Tokens &type, llvm::function_ref<bool(llvm::ArrayRef<Token> member)> isErased);

} // namespace specmv::source
