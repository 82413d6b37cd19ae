// Links between web pages: the numbers of links per page follow a power law, most links lead to
// nearby pages of the same host, and the others to popular pages. The shares and the size of a host
// are assumptions; no crawl was measured.
#include "models/lab/families/pareto.h"
#include "models/lab/families/popular.h"

#include <cmath>

namespace specmv {

llvm::Expected<CsrMatrix> generateWeb(const SpecOptions &options) {
  auto lengths = drawPowerLaw(options, "web");
  if (!lengths)
    return lengths.takeError();
  const int64_t rows = options.integer("rows"), cols = options.integer("cols");
  const int64_t host = options.integer("half");
  const double near = options.real("near");
  const uint64_t seed = seedOf(options);
  const PopularColumns pages(cols, seed);
  const auto lengthOf = [&](int64_t row) { return (*lengths)[static_cast<size_t>(row)]; };
  return buildMatrix(options, lengthOf, [&](int64_t row, std::span<int32_t> col) {
    Random random(seed, Drawn::columns, row);
    const auto length = static_cast<int64_t>(col.size());
    const Window window = windowOf(row, rows, cols, std::max(host, length));
    const auto local = static_cast<size_t>(std::llround(near * static_cast<double>(length)));
    extendDistinct(random, col.first(local), 0, window.begin, window.end);
    pages.extend(random, col, local);
  });
}

} // namespace specmv
