// What is counted on a sample of the rows only: aligned blocks of entries, and sectors of x.
#pragma once

#include "models/profile/profile.h"

namespace specmv {

// The entries of rows begin .. end-1 in the columns below endColumn.
struct Sample {
  Count begin, end, endColumn;
  Count entries;
};

// Whole aligned groups of `groupRows` rows, evenly spread and ascending, which together have at
// most 65,536 entries; all groups, if the matrix has no more. If no group has so few, the sample is
// the first columns of one group, a multiple of `unitColumns`.
template <class I>
std::vector<Sample> sampleGroups(const CsrPattern<I> &a, Count groupRows, Count unitColumns);

// Appends the columns of a row that are in the sample.
template <class I>
void appendColumns(const CsrPattern<I> &a, Count row, const Sample &sample,
                   std::vector<Count> &cols) {
  for (Count k = a.rowPtr[row]; k < a.rowPtr[row + 1]; ++k)
    if (a.col[k] < sample.endColumn)
      cols.push_back(a.col[k]);
}

template <class I> BlockFill countBlocks(const CsrPattern<I> &a);
template <class I> SectorCount countSectors(const CsrPattern<I> &a, Count groupRows);

} // namespace specmv
