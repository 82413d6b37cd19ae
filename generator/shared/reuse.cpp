// Finds the two samples of a profile between which groups of another size are interpolated.
#include "generator/shared/reuse.h"

#include <cmath>
#include <utility>

namespace specmv {

ReuseAround reuseAround(const SparsityProfile &p, int level, int64_t rows) {
  GroupReuse below{1, 1, 1}, above = below;
  bool isFirst = true;
  for (const ReuseCount &count : p.reuse) {
    // The sampled groups of rows may all be empty.
    if (count.sampledEntries == 0)
      continue;
    below = above;
    above = {count.groupRows, count.first[static_cast<size_t>(level)], count.sampledEntries};
    if (std::exchange(isFirst, false))
      below = above;
    if (rows <= above.rows)
      break;
  }
  if (rows >= above.rows || rows <= below.rows)
    return rows >= above.rows ? ReuseAround{above, above, 1} : ReuseAround{below, below, 0};
  const auto first = static_cast<double>(below.rows);
  return {below, above,
          std::log(static_cast<double>(rows) / first) /
              std::log(static_cast<double>(above.rows) / first)};
}

} // namespace specmv
