// Whether the numbers that the caller fixed are such that a format can have them, on any matrix.
#pragma once

#include "generator/emit.h"

namespace specmv {

// The sentence that says which fixed number is out of its range, or "".
std::string whyNotFixed(const Fixed &fixed, llvm::ArrayRef<PlanNumber> numbers);

} // namespace specmv
