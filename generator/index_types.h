// The types of a plan's numbers: integers as wide as the matrix needs, values as the problem's.
#pragma once

#include "generator/layout.h"
#include "models/plan.h"
#include "models/problem.h"

namespace specmv {

// Kept in a plan as bits: `offset` counts rows, entries and slots, `column` columns of A.
struct IndexTypes {
  ElementType offset, column;
};
IndexTypes indexTypesOf(const Plan &plan);

// Those and the type of values: what most kernels are instantiated for.
struct Types {
  ElementType value, offset, column;
};
Types typesOf(const Plan &plan, const Problem &problem);

// Adds `offset` and `column` to a plan: 32 bits where rows, cols and slots allow it, else 64.
void addIndexTypes(Plan &plan, int64_t rows, int64_t cols, int64_t slots);
// Fails where a plan's index types are too narrow for these numbers.
llvm::Error checkIndexTypes(const Plan &plan, int64_t rows, int64_t cols, int64_t slots);

} // namespace specmv
