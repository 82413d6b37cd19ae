// The Wilson-Dirac hopping matrix of lattice quantum chromodynamics on a torus of l^4 sites. A site
// has 4 spins of 3 colours, which are 12 rows; each is coupled to the 8 neighbouring sites by full
// 3 x 3 colour blocks. Along the 3 directions of space, the gamma matrices (in Dirac's
// representation) are off-diagonal: a row is coupled to its own spin and to one other, 2 blocks for
// each neighbour. Along time, gamma is diagonal: 1 - gamma and 1 + gamma keep two spins each, so a
// row has one block, for either the previous or the next neighbour. A row has 6 x 2 + 1 = 13
// blocks, which are 39 entries: none on the diagonal, 36 with a mirror image. The SuiteSparse
// collection reports the same for conf5_4-8x8 (l = 8: 49,152 rows), whose numbering may differ.
#include "models/lab/families/torus.h"

#include "models/base/machine_memory.h"

namespace specmv {
constexpr int64_t kColours = 3, kSpins = 4, kUnknowns = kColours * kSpins;
constexpr int64_t kBlocksPerRow = 13;
constexpr int kTime = 3;

// The other spin that a step along x, y or z reaches: sigma_x and sigma_y swap the two spins of the
// pair that they map, sigma_z keeps them.
constexpr int64_t partner(int axis, int64_t spin) { return axis == 2 ? spin ^ 2 : spin ^ 3; }

static void fillRow(int64_t row, const Torus &torus, std::span<int32_t> col) {
  const int64_t site = row / kUnknowns, spin = row % kUnknowns / kColours;
  auto block = col.begin();
  const auto add = [&](int64_t other, int64_t itsSpin) {
    *block++ = static_cast<int32_t>(other * kSpins + itsSpin);
  };
  for (int axis = 0; axis < kTime; ++axis)
    for (const bool forth : {false, true}) {
      const int64_t other = torus.neighbour(site, axis, forth);
      add(other, spin);
      add(other, partner(axis, spin));
    }
  add(torus.neighbour(site, kTime, spin >= kSpins / 2), spin); // 1 - gamma forth, 1 + gamma back
  std::sort(col.begin(), block);
  expandBlocks(col, kColours);
}

llvm::Expected<CsrMatrix> generateQcd(const SpecOptions &options) {
  const int64_t l = options.integer("l"), rows = kUnknowns * l * l * l * l;
  if (llvm::Error error = checkFits(rows, rows, kBlocksPerRow * kColours * rows, availableMemory()))
    return error;
  const Torus torus{{l, l, l, l}};
  return buildMatrix(
      rows, rows, valuesOf(options), [](int64_t) { return kBlocksPerRow * kColours; },
      [&torus](int64_t row, std::span<int32_t> col) { fillRow(row, torus, col); });
}

} // namespace specmv
