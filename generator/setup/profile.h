// Profiles a matrix on a device, equal to the bit to models/profile on the host.
#pragma once

#include "generator/setup/packing.h"
#include "generator/setup/workspace.h"
#include "models/profile/column_degrees.h"
#include "models/profile/fingerprint.h"
#include "models/profile/profile.h"
#include "models/profile/samples.h"
#include "models/profile/value_facts.h"

#include <optional>
#include <vector>

namespace specmv {

// --- Fingerprint ---------------------------------------------------------------------------------

// The fingerprint of a matrix on a device, equal to the bit to the one that models/profile
// computes.

// The result of one pass over rowPtr and the columns, in the order of the arrays.
struct PatternHash {
  Fingerprint fingerprint{}; // of the matrix if its rows ascend
  int64_t descents = 0;      // entries whose column is below that of the entry before
};

// The source of the kernel, for matrices with these indices.
const KernelSource &fingerprintSource(IndexType index);

// Returns nullopt if the host must profile the matrix. Either the arrays do not form a matrix, and
// the host says why, or the profile's kernels cannot count a matrix of this size. The CSR arrays
// are only read.
llvm::Expected<std::optional<PatternHash>> fingerprintOn(Workspace &workspace);

// The hash of the matrix with other columns, an array of the workspace that was made from its own.
llvm::Expected<PatternHash> hashOn(Workspace &workspace, const char *columns);

// --- Profile -------------------------------------------------------------------------------------

// The profile of a matrix on a device, equal to the bit to the one that models/profile makes.

// The source of the kernels that profile matrices with these indices, and of the kernel that sorts
// rows.
const KernelSource &profileSource(IndexType index);
const KernelSource &rowSortSource(IndexType index);

// Profiles the matrix, whose hash fingerprintOn() found. Returns nullopt if the host must profile
// it. The CSR arrays are only read.
llvm::Expected<std::optional<SparsityProfile>> profileOn(Workspace &workspace,
                                                         const PatternHash &hash);

// --- Column degrees ------------------------------------------------------------------------------

// Counts the entries of the columns of a matrix on a device, with the result of the host
// (models/profile/column_degrees.h).

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

// --- Value facts ---------------------------------------------------------------------------------

// The facts about the values of a matrix on a device, equal to those that models/profile finds.

// The sources of the kernel that reads all values, and of the kernel that compares values along
// diagonals, which few matrices need.
const KernelSource &valuesSource(ValueType type);
const KernelSource &valueDiagonalsSource(IndexType index, ValueType type);

// Reads all values once. Also reads rowPtr and the columns if the values may be constant along
// diagonals. The arrays must form a matrix. `diagonals` is the number of diagonals that a profile
// has counted, if one was made.
llvm::Expected<ValueFacts> valueFactsOn(Workspace &workspace,
                                        std::optional<int64_t> diagonals = std::nullopt);

// --- Repeated blocks -----------------------------------------------------------------------------

// The sample of a matrix's blocks on a device, equal to that of models/profile.

// The source of the kernel that samples.
const KernelSource &blockSamplesSource(IndexType index, ValueType type);

// Samples blocks of r x c, for which there is always a result. The arrays must form a matrix.
llvm::Expected<std::optional<RepeatedBlocks>> repeatedBlocksOn(Workspace &workspace, int64_t r,
                                                               int64_t c);

} // namespace specmv
