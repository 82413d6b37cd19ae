// The facts about the values of a matrix on a device, equal to those that models/profile finds.
#pragma once

#include "generator/setup/workspace.h"
#include "models/profile/value_facts.h"

namespace specmv {

// The sources of the kernel that reads all values, and of the kernel that compares values along
// diagonals, which few matrices need.
const KernelSource &valuesSource(ValueType type);
const KernelSource &valueDiagonalsSource(IndexType index, ValueType type);

// Reads all values once. Also reads rowPtr and the columns if the values may be constant along
// diagonals. The arrays must form a matrix. `diagonals` is the number of diagonals that a profile
// has counted, if one was made.
llvm::Expected<ValueFacts> valueFactsOn(Workspace &workspace,
                                        std::optional<int64_t> diagonals = std::nullopt);

} // namespace specmv
