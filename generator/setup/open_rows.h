// Fills the tables of rows that several blocks share on the device (templates/pack/open_rows.cuh).
#pragma once

#include "generator/setup/packing.h"

namespace specmv {

// The header and kernel.
constexpr const char *kOpenRowsHeader = "pack/open_rows.cuh";
SetupKernel openRowsKernel(int64_t blocks);

// The array of i64 that a packing adds and fills: for the boundary before each of the `blocks`
// blocks and the one after the last, the row that is open there, as for fillOpenRows().
constexpr const char *kOpenRow = "openRow";

// Adds the arrays and working memory of openRowFields(), fills them and drops kOpenRow.
llvm::Error packOpenRows(Workspace &workspace, const KernelSource &source, const Problem &problem,
                         int64_t blocks);

} // namespace specmv
