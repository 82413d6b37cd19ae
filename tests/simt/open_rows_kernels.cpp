// Implements the kernels that combine shares.
#include "tests/simt/simt.h"

#include "tests/simt/open_rows_kernels.h"

#include "shared/open_rows.cuh"

namespace specmv::simt {
namespace {

template <class Value, class Word> void bring(const OpenRowsArgs<Value, Word> &a) {
  const OpenRows<Value> rows{a.first, a.last, a.partialSums, a.arrivals};
  const OpenRow row = rows.ofLane();
  Value sum = a.numbers[2 * blockIdx.x + (threadIdx.x != 0)];
  if (publishPartialSum(rows, row, sum))
    a.sums[row.last] = sum;
}

} // namespace

void openRowsKernel(const OpenRowsArgs<float, unsigned> &a) { bring(a); }
void openRowsKernel(const OpenRowsArgs<double, unsigned long long> &a) { bring(a); }

} // namespace specmv::simt
