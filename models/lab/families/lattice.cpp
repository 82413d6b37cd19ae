// Lattices of four dimensions as in quantum chromodynamics with staggered fermions: a torus of l^3
// sites in space and t in time. A site has b unknowns, coupled by full b x b blocks to each other
// and to those of the 8 neighbouring sites.
#include "models/lab/families/torus.h"

#include "models/base/machine_memory.h"

namespace specmv {
constexpr int64_t kSitesPerRow = 9;

llvm::Expected<CsrMatrix> generateLattice(const SpecOptions &options) {
  const int64_t l = options.integer("l"), t = options.integer("t"), b = options.integer("b");
  const int64_t rows = l * l * l * t * b;
  if (llvm::Error error = checkFits(rows, rows, kSitesPerRow * b * rows, availableMemory()))
    return error;
  const Torus torus{{l, l, l, t}};
  const auto fillColumns = [&](int64_t row, std::span<int32_t> col) {
    const int64_t site = row / b;
    auto block = col.begin();
    *block++ = static_cast<int32_t>(site);
    for (int axis = 0; axis < 4; ++axis)
      for (const bool forth : {false, true})
        *block++ = static_cast<int32_t>(torus.neighbour(site, axis, forth));
    std::sort(col.begin(), block);
    expandBlocks(col, static_cast<size_t>(b));
  };
  return buildMatrix(
      rows, rows, valuesOf(options), [b](int64_t) { return kSitesPerRow * b; }, fillColumns);
}

} // namespace specmv
