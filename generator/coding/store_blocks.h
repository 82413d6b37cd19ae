// Stores whole blocks as numbers in a table of the different ones, for the codings of
// generator/coding/blocks.cpp.
#pragma once

#include "generator/coding/coding.h"
#include "generator/layout.h"
#include "generator/setup/workspace.h"

namespace specmv {

// Numbers the different blocks of a layout with packed values by their first places. Replaces the
// values by the codes and the table. Status::notApplicable if there are more different blocks than
// the coding of the plan can number; the layout then lost its values.
llvm::Error storeBlocks(Layout &layout, const Plan &plan);

// Does the same in a workspace, and reads the number of different blocks.
llvm::Error storeBlocksOn(Workspace &workspace, Layout &layout, const Plan &plan);

// The source of the kernels with which a workspace does this.
const KernelSource &blocksSource(const Coding &coding, ValueType type);

} // namespace specmv
