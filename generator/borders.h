// Which rows are cut by the borders between thread blocks: what templates/borders.cuh is told, so
// that the pieces of a row find together within one launch.
#pragma once

#include "generator/layout.h"
#include "generator/steps.h"

#include <vector>

namespace specmv {

// Adds blocksBefore and blocksAfter of each block, and the scratch borderSum of this type. `cut`
// names for each block the row that the border before it cuts, which has entries on both sides; -1
// where none has, as before the first.
void addBorders(Layout &out, ElementType value, const std::vector<int64_t> &cut);

// The kernel's arguments that these are bound to.
std::vector<Argument> borderArguments(ElementType value);

// Bytes of what addBorders() stores for each block.
constexpr int64_t kBorderBytes = 8;

} // namespace specmv
