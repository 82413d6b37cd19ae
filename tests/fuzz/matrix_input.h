// A matrix for the C API made of fuzzed numbers: the memory is as large as the API says that it
// reads, what it holds and what the description says is anything.
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
  std::vector<int64_t> offsets, rowIndices, colIndices; // as the arrays hold them, with the base
  std::vector<char> memory[3];                          // the arrays, to the byte
  // Whether the arrays are as large as the description says, so that more than a description may be
  // made of them.
  bool isHeld = false;
};

// A number of an enum up to `last`, which is seldom none of it.
int enumNumber(Input &in, int last);
// A number that is seldom not small.
int64_t anySize(Input &in, int64_t most);

// The values stay out: description.values is what the caller sets.
MatrixInput matrixInput(Input &in);

// From the definition: the places of the entries in the order of the values; nullopt if the
// arrays, which are held, form no matrix.
std::optional<std::vector<testing::MatrixEntry>> entriesOf(const MatrixInput &a);

} // namespace specmv::fuzz
