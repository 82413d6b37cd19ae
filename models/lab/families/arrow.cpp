// Arrowhead matrices: a full band, and at its end a few full rows and columns. They occur in
// problems where a few unknowns (a constraint, a frequency, a global parameter) are coupled to all
// others.
#include "models/lab/families/build.h"

#include "models/base/error.h"

#include <numeric>

namespace specmv {

llvm::Expected<CsrMatrix> generateArrow(const SpecOptions &options) {
  const int64_t rows = options.integer("rows"), limit = options.integer("full");
  const int64_t full = options.given("full") ? limit : std::min(limit, rows);
  const int64_t half = options.integer("half"), others = rows - full;
  if (full > rows)
    return fail(Status::badCall, "arrow: full={0} exceeds rows={1}", full, rows);
  const auto bandOf = [=](int64_t row) {
    return row < others ? windowOf(row, others, others, half) : Window{row, 0, others};
  };
  const auto lengthOf = [=](int64_t row) { return bandOf(row).size() + full; };
  const auto fillColumns = [=](int64_t row, std::span<int32_t> col) {
    const Window band = bandOf(row);
    const auto last = col.begin() + static_cast<ptrdiff_t>(band.size());
    std::iota(col.begin(), last, static_cast<int32_t>(band.begin));
    std::iota(last, col.end(), static_cast<int32_t>(others));
  };
  return buildMatrix(rows, rows, valuesOf(options), lengthOf, fillColumns);
}

} // namespace specmv
