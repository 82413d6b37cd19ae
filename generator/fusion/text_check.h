// Checks the texts of fused steps, so that a text is of the language that specmv-fused(7)
// describes: statements without loops and jumps, or an expression, of the names of the step, its
// own variables and known functions.
#pragma once

#include "generator/fusion/fusion.h"

namespace specmv {

// Fail with Status::badCall, and the line and the column.
llvm::Error checkStatements(const Fusion &fusion, ValueType vectors);
llvm::Error checkExpression(const Fusion &fusion, ValueType vectors);

} // namespace specmv
