// The element types of a plan: indices of 32 or 64 bits, as the matrix needs, and the problem's
// values.
#pragma once

#include "generator/layout.h"
#include "models/plan.h"
#include "models/problem.h"

namespace specmv {

// A plan gives each type as a number of bits. `offset` is for rows, entries and slots, `column` for
// columns.
struct IndexTypes {
  ElementType offset, column;
};
IndexTypes indexTypesOf(const Plan &plan);

// The index types and the type of the stored values.
struct Types {
  ElementType value, offset, column;
};
Types typesOf(const Plan &plan, const Problem &problem);
// The types of a product's kernels, in which `value` is the type of the vectors.
Types kernelTypesOf(const Plan &plan, const Problem &problem);

// Adds `offset` and `column` to a plan: 32 bits if rows, cols and slots allow it, else 64.
void addIndexTypes(Plan &plan, int64_t rows, int64_t cols, int64_t slots);
// The type that addIndexTypes() gives to columns.
ElementType columnTypeFor(int64_t cols);
// Fails if a plan's index types are too narrow for these numbers.
llvm::Error checkIndexTypes(const Plan &plan, int64_t rows, int64_t cols, int64_t slots);

} // namespace specmv
