// The value of a constant expression of integers, as far as it is known.
#pragma once

#include "generator/source/tokens.h"

#include <cstdint>
#include <map>
#include <optional>

namespace specmv::source {

// By name; a member of a struct is named as in `EllPlan::width`.
using Numbers = std::map<std::string, int64_t, std::less<>>;

// Returns no value if it depends on something that has no number. `false && x` does not depend on
// x.
std::optional<int64_t> evaluated(llvm::ArrayRef<Token> expression, const Numbers &numbers);

} // namespace specmv::source
