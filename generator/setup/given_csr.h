// The caller's CSR arrays on a device: checked, and copied to 32-bit indices.
#pragma once

#include "generator/format.h"
#include "generator/setup/workspace.h"
#include "models/csr.h"

namespace specmv {

// --- Check ---------------------------------------------------------------------------------------

// Checks on a device that CSR arrays form a matrix. It is used where no profile is made, since
// making a profile checks the arrays too.

const KernelSource &checkSource(IndexType index);

// Decides as checkCsr() of models does. Only checkCsr() says what is wrong.
llvm::Expected<bool> formsMatrix(Workspace &workspace);

// --- Narrow --------------------------------------------------------------------------------------

// CSR arrays with 64-bit indices, copied to 32 bits where all numbers of a matrix fit: set-up
// kernels for 64 bits are then needed only for matrices beyond 2^31 entries, rows or columns.

// The index type with which a matrix of this size is set up on a GPU.
IndexType setupIndex(const MatrixSize &a, IndexType given);

// The copies in the workspace.
constexpr const char *kNarrowRowPtr = "narrowRowPtr", *kNarrowCol = "narrowCol";

const KernelSource &narrowSource();
// Adds the copies of the arrays of a workspace with 64-bit indices. Faulty numbers stay faulty.
llvm::Error narrowOn(Workspace &workspace);

// Copies an array of `count` numbers on the host, as the kernel does.
void narrowOnHost(const int64_t *from, int64_t count, int32_t *to);

} // namespace specmv
