// Lists the hottest columns on the host.
#include "generator/shared/hot_columns.h"

#include "models/profile/column_degrees.h"

namespace specmv {

std::vector<int64_t> hottestColumns(const CsrView &a, int64_t most) {
  const std::vector<int32_t> degrees = degreesOfColumns(a);
  const int64_t least = hottestOf(countedFrom(degrees, a.nnz), most).least;
  std::vector<int64_t> out;
  for (size_t c = 0; c < degrees.size() && static_cast<int64_t>(out.size()) < most; ++c)
    if (degrees[c] >= least)
      out.push_back(static_cast<int64_t>(c));
  return out;
}

} // namespace specmv
