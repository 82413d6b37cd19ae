// Lists of parameters and arguments, of which one is taken out.
#pragma once

#include "generator/source/declarations.h"

namespace specmv::source {

// Erases `count` tokens, an argument or a parameter that begins at `at`, with its comma, and the
// brackets if it was the only one. `open` is the bracket in front of the first.
void eraseFromList(Tokens &tokens, size_t open, size_t at, size_t count);

// Erases a parameter of the declaration's template; without parameters, it is none any more.
void eraseParameter(Declaration &d, const Tokens &parameter);

} // namespace specmv::source
