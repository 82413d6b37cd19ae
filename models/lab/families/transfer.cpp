// The transfers between two grids of a multigrid method. The coarse grid has every other point of
// the fine one along each axis, so of n points 2 n - 1 are made. The prolongation interpolates
// linearly: a fine point takes 1, 2, 4 or 8 coarse ones, between which it lies. The restriction has
// the transposed pattern: a coarse point takes up to 27 fine ones.
#include "models/lab/families/grid.h"

#include <algorithm>

namespace specmv {
namespace {
// Neighbouring points along one axis, both ends inclusive.
struct Run {
  int first, last;
  int64_t size() const { return last - first + 1; }
};

struct Transfer {
  Grid from, to; // columns and rows
  bool isProlongation;

  Run along(int at, int64_t side) const {
    if (isProlongation)
      return {at / 2, (at + 1) / 2};
    return {std::max(2 * at - 1, 0), std::min(2 * at + 1, static_cast<int>(side) - 1)};
  }
  std::array<Run, 3> runs(int64_t row) const {
    const Offset at = to.point(row);
    return {along(at.x, from.nx), along(at.y, from.ny), along(at.z, from.nz)};
  }
  int64_t length(int64_t row) const {
    const auto [x, y, z] = runs(row);
    return x.size() * y.size() * z.size();
  }
  void fill(int64_t row, std::span<int32_t> col) const {
    const auto [runX, runY, runZ] = runs(row);
    auto next = col.begin();
    for (int z = runZ.first; z <= runZ.last; ++z)
      for (int y = runY.first; y <= runY.last; ++y)
        for (int x = runX.first; x <= runX.last; ++x)
          *next++ = static_cast<int32_t>(from.number({x, y, z}));
  }
};
} // namespace

llvm::Expected<CsrMatrix> generateTransfer(const SpecOptions &options) {
  const Grid coarse = grid3d(options);
  // A transfer has as many entries as the 27-point stencil on the coarse grid, and not more rows:
  // along an axis both are 3 n - 2, since 2 of 3 steps from a coarse point lead to a fine one.
  if (llvm::Error error = checkGrid(coarse, kStencil27, 1))
    return error;
  const Grid fine{2 * coarse.nx - 1, 2 * coarse.ny - 1, 2 * coarse.nz - 1};
  const bool isProlongation = options.text("of") == "prolongation";
  const Transfer transfer =
      isProlongation ? Transfer{coarse, fine, true} : Transfer{fine, coarse, false};
  return buildMatrix(
      transfer.to.points(), transfer.from.points(), valuesOf(options),
      [&](int64_t row) { return transfer.length(row); },
      [&](int64_t row, std::span<int32_t> col) { transfer.fill(row, col); });
}

} // namespace specmv
