// Random points in space, numbered by the cells of a grid, for families that couple near points.
#pragma once

#include "models/lab/families/build.h"

#include <array>
#include <vector>

namespace specmv {

class PointCloud {
public:
  // The side of a cell, in units of the coordinates.
  static constexpr int64_t kCellSide = 1 << 16;

  // Draws points, each place equally likely, in cubic cells of about `perCell` points on average.
  PointCloud(int64_t points, double perCell, uint64_t seed);

  // Cells along each side of the space.
  int64_t side() const { return side_; }

  // Calls f(other, squared distance) for all points, itself among them, of the cells that are at
  // most `ring` cells away along each axis, ascending. So it misses no point that is nearer than
  // `ring` sides of a cell.
  template <class F> void forNear(int64_t point, int64_t ring, const F &f) const {
    const auto own = cellOf(point);
    const auto at = placeOf(point, own);
    const auto from = [&](size_t axis) { return std::max<int64_t>(own[axis] - ring, 0); };
    const auto to = [&](size_t axis) { return std::min(own[axis] + ring, side_ - 1); };
    for (int64_t z = from(2); z <= to(2); ++z)
      for (int64_t y = from(1); y <= to(1); ++y)
        for (int64_t x = from(0); x <= to(0); ++x) {
          const auto *first = first_.data() + x + side_ * (y + side_ * z);
          for (int64_t other = first[0]; other < first[1]; ++other)
            f(other, squaredDistance(at, placeOf(other, {x, y, z})));
        }
  }

private:
  using Place = std::array<int64_t, 3>;

  Place cellOf(int64_t point) const;
  Place placeOf(int64_t point, const Place &cell) const {
    const uint64_t bits = inCell_[static_cast<size_t>(point)];
    const auto along = [&](size_t axis) {
      return cell[axis] * kCellSide + static_cast<int64_t>(bits >> 16 * axis & (kCellSide - 1));
    };
    return {along(0), along(1), along(2)};
  }
  static int64_t squaredDistance(const Place &a, const Place &b) {
    int64_t sum = 0;
    for (size_t axis = 0; axis < a.size(); ++axis)
      sum += (a[axis] - b[axis]) * (a[axis] - b[axis]);
    return sum;
  }

  int64_t side_ = 1;
  std::vector<int32_t> first_;   // the first point of each cell, and the number of points
  std::vector<uint64_t> inCell_; // 16 bits of each coordinate
};

} // namespace specmv
