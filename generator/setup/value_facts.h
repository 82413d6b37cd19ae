// The facts about the values of a matrix that lies on a device: equal to those of models/profile.
#pragma once

#include "generator/setup/workspace.h"
#include "models/profile/value_facts.h"

namespace specmv {

// The sources of the kernel that looks at all values, and of that which compares them along
// diagonals, which few matrices need.
const KernelSource &valuesSource(ValueType type);
const KernelSource &valueDiagonalsSource(IndexType index, ValueType type);

// Reads all values once; rowPtr and the columns too where the values of a matrix may be constant
// along its diagonals. The arrays must form a matrix. `diagonals` is the number that a profile has
// counted, if one is known.
llvm::Expected<ValueFacts> valueFactsOn(Workspace &workspace,
                                        std::optional<int64_t> diagonals = std::nullopt);

} // namespace specmv
