// Reads the longest rows of groups from the profile's counts of slices: a slice is as wide as its
// longest row.
#include "generator/shared/longest_rows.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace specmv {

// The length that at least this many rows have.
static Count lengthOfMany(const SparsityProfile &p, Count rows) {
  Count seen = 0;
  for (const LengthCount &l : llvm::reverse(p.lengths))
    if ((seen += l.rows) >= rows)
      return l.length;
  return 0;
}

double longestOfRows(const SparsityProfile &p, int64_t rows) {
  SliceCount found{1, 1, p.nnz};
  for (const SliceCount &s : p.slices)
    if (s.window == 1 && s.slice <= rows && s.slice > found.slice)
      found = s;
  const double longest =
      static_cast<double>(found.padded) / static_cast<double>(std::max<int64_t>(1, p.rows));
  if (rows < 2 * found.slice)
    return longest;
  const Count less = std::max<Count>(1, lengthOfMany(p, p.rows / found.slice)),
              more = lengthOfMany(p, std::max<Count>(1, p.rows / rows));
  return longest * static_cast<double>(std::max(less, more)) / static_cast<double>(less);
}

} // namespace specmv
