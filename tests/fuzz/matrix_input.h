// Makes a matrix for the C API from fuzzed numbers: the memory is as large as the API says that it
// reads, but its content and the description are arbitrary.
#pragma once

#include "specmv.h"
#include "tests/matrix_layouts.h"

#include <cstdint>
#include <fuzzer/FuzzedDataProvider.h>
#include <optional>
#include <vector>

namespace specmv::fuzz {

using Input = FuzzedDataProvider;

struct MatrixInput {
  specmvMatrixDescription_t description = SPECMV_MATRIX_DESCRIPTION_INIT;
  std::vector<int64_t> offsets, rowIndices, colIndices; // as in the arrays, with the base
  std::vector<char> memory[3];                          // the arrays, to the byte
  // True if the arrays are as large as the description says, so that more than a description may be
  // made of them.
  bool isHeld = false;
};

// Returns a number of an enum up to `last`, rarely an invalid one.
int enumNumber(Input &in, int last);
// Returns a number that is rarely large.
int64_t anySize(Input &in, int64_t most);

// Does not set description.values, which the caller sets.
MatrixInput matrixInput(Input &in);

// Computes from the definition the places of the entries in the order of the values; nullopt if the
// arrays, which must have full size, form no matrix.
std::optional<std::vector<testing::MatrixEntry>> entriesOf(const MatrixInput &a);

} // namespace specmv::fuzz
