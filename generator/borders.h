// Which rows are cut by the borders between thread blocks: what templates/borders.cuh is told, so
// that the pieces of a row find together within one launch.
#pragma once

#include "generator/layout.h"
#include "generator/steps.h"

#include <vector>

namespace specmv {

// Adds blocksBefore and blocksAfter of each block, and the scratch borderSum of this type. `open`
// names for each block the row that is open at the border before it, of which the blocks on both
// sides have a piece, be it without entries; -1 where there is none, as before the first.
void addBorders(Layout &out, ElementType value, const std::vector<int64_t> &open);

// The kernel's arguments that these are bound to.
std::vector<Argument> borderArguments(ElementType value);

// Bytes of what addBorders() stores for each block.
constexpr int64_t kBorderBytes = 8;

} // namespace specmv
