// Checks the texts of fused steps, so that a text can only be what it should be: a list of
// statements without loops or jumps, or an expression.
#pragma once

#include "llvm/Support/Error.h"

#include <string>

namespace specmv {

// Fails with Status::badCall and the line in the text that is called `what`.
llvm::Error checkText(const std::string &text, const char *what, bool isExpression);

} // namespace specmv
