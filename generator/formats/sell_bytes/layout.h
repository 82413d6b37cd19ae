// The packing of SELL with columns in bytes: its numbers and arrays.
#pragma once

#include "generator/emit.h"
#include "generator/layout.h"
#include "templates/profile/line_features.cuh"

namespace specmv {

namespace key {
inline constexpr IntegerKey kBytesSigma{"bytes.sigma"}, kBytesWidest{"bytes.widest"};
} // namespace key

// The most bytes that an offset can need in a matrix with so many columns.
int64_t bytesWidestOf(int64_t cols);

// The sizes of the arrays.
struct BytesCounts {
  int64_t rows = 0;
  int64_t lines = 0, fours = 0, words = 0; // words: rows of 32 of them
};
Fields bytesFields(const Plan &plan, const Problem &problem, const BytesCounts &n);

// Say in a sentence why a matrix cannot have this format with rows sorted so; "" if it can.
std::string whyNoBytes(const MatrixSize &a, int64_t longestRow, int64_t sigma);
std::string whyTooManyLines(int64_t lines, int64_t nnz);

// The packings of the host and of the GPU check the plan before anything is packed, then the lines.
llvm::Error checkBytesPlan(const Plan &plan, const MatrixSize &a, int64_t longestRow);
llvm::Error checkBytesLines(const Plan &plan, const MatrixSize &a, int64_t lines);

llvm::Expected<Layout> bytesLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
