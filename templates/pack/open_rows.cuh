// Finds the blocks that share each open row, as templates/shared/open_rows.cuh lists them.
#pragma once
#include "setup/block.cuh"

namespace specmv {

template <class Row> struct OpenRowsArgs {
  const Row *openRow; // the open row at each boundary between blocks, or kNoRow
  unsigned *openFirst, *openLast;
  long long boundaries;
};

// Returns how many boundaries from `at` on in a direction have the same open row; there are `room`
// boundaries. They are contiguous, so steps that double and then halve find the last one.
template <class Row>
__device__ __forceinline__ long long openReach(const Row *openRow, long long at, int direction,
                                               long long room) {
  const Row row = openRow[at];
  const auto reaches = [&](long long far) {
    return far <= room && openRow[at + direction * far] == row;
  };
  long long reach = 0, step = 1;
  for (; reaches(reach + step); step *= 2)
    reach += step;
  for (; step > 0; step /= 2)
    if (reaches(reach + step))
      reach += step;
  return reach;
}

// One thread per boundary.
template <class Row> __device__ __forceinline__ void openRows(const OpenRowsArgs<Row> &a) {
  const long long at = static_cast<long long>(blockIdx.x) * kSetupBlock + threadIdx.x;
  if (at >= a.boundaries)
    return;
  // A row that is open at boundaries begin .. end is shared by the blocks begin - 1 .. end.
  const bool isOpen = a.openRow[at] != kNoRow;
  a.openFirst[at] = static_cast<unsigned>(isOpen ? at - openReach(a.openRow, at, -1, at) - 1 : at);
  a.openLast[at] =
      static_cast<unsigned>(isOpen ? at + openReach(a.openRow, at, 1, a.boundaries - 1 - at) : at);
}

} // namespace specmv
