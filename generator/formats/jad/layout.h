// The arrays of JAD, the limits of its packing, and its packing on the host.
#pragma once

#include "generator/emit.h"
#include "generator/layout.h"

namespace specmv {

struct JadShape {
  int64_t rows = 0, diagonals = 0, slots = 0;
};

// Elements of jdPtr, including those beyond the last diagonal's end that the last batch may read.
int64_t jadStarts(int64_t diagonals);

// The arrays and arguments of the kernel.
Fields jadFields(const Plan &plan, const Problem &problem, const JadShape &shape);

// Says in a sentence that a matrix has too many diagonals; "" if it does not.
std::string whyNoJad(int64_t diagonals);

// Fail if a matrix with this many diagonals, or of this shape, cannot be packed.
llvm::Error checkJadDiagonals(int64_t diagonals);
llvm::Error checkJadSlots(const Plan &plan, const MatrixSize &a, int64_t slots);

llvm::Expected<Layout> jadLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
