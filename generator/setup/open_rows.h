// Fills, on the device, the tables of rows that several blocks share
// (templates/pack/open_rows.cuh).
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

// The header and kernel.
constexpr const char *kOpenRowsHeader = "pack/open_rows.cuh";
SetupKernel openRowsKernel(int64_t blocks);

// An array of i64 that a packing adds and fills. It has the open row at the boundary before each of
// the `blocks` blocks and at the one after the last block, as for fillOpenRows().
constexpr const char *kOpenRow = "openRow";

// Adds the arrays and working memory of openRowFields(), fills them and drops kOpenRow.
llvm::Error packOpenRows(Workspace &workspace, const KernelSource &source, const Problem &problem,
                         int64_t blocks);

} // namespace specmv
