// Counts the entries of the columns of a matrix on a device, with the result of the host
// (models/profile/column_degrees.h).
#pragma once

#include "generator/setup/filling.h"
#include "models/profile/column_degrees.h"

namespace specmv {

// The source of the kernels for matrices with these indices.
const KernelSource &columnsSource(IndexType index);

// Counts the columns of a valid matrix. nullopt if it has so many entries that a counter of 32 bits
// could overflow; the host must count then.
llvm::Expected<std::optional<ColumnDegrees>> columnDegreesOn(Workspace &workspace);

// The steps of the count, for packings that need the degree of each column: the header, the
// launches, and the arrays that they fill. dropDegrees() frees these.
constexpr const char *kColumnsHeader = "profile/columns.cuh";
constexpr const char *kDegrees = "degrees", *kDegreeCounts = "degreeCounts";
std::vector<SetupLaunch> degreeLaunches(const DeviceCsr &csr);
llvm::Error addDegrees(Workspace &workspace);
void dropDegrees(Workspace &workspace);

} // namespace specmv
