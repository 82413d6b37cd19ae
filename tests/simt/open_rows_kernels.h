// Kernels that only combine shares, for the test of templates/shared/open_rows.cuh.
#pragma once

namespace specmv::simt {

// Each block has numbers[2 block] for the row that ends in it and numbers[2 block + 1] for the row
// that it leaves open; a row's sum goes to sums[its last block].
template <class Value, class Word> struct OpenRowsArgs {
  const unsigned *first, *last;
  Word *partialSums;
  unsigned *arrivals;
  const Value *numbers;
  Value *sums;
};

void openRowsKernel(const OpenRowsArgs<float, unsigned> &a);
void openRowsKernel(const OpenRowsArgs<double, unsigned long long> &a);

} // namespace specmv::simt
