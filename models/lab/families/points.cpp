// Draws random points in cells.
#include "models/lab/families/points.h"

#include "models/base/parallel.h"

#include <numeric>

namespace specmv {

static int64_t cellsPerSide(int64_t points, double perCell) {
  int64_t side = 1;
  while (static_cast<double>((side + 1) * (side + 1) * (side + 1)) * perCell <=
         static_cast<double>(points))
    ++side;
  return side;
}

PointCloud::PointCloud(int64_t points, double perCell, uint64_t seed)
    : side_(cellsPerSide(points, perCell)), inCell_(static_cast<size_t>(points)) {
  const int64_t cells = side_ * side_ * side_;
  first_.resize(static_cast<size_t>(cells) + 1);
  for (int64_t point = 0; point < points; ++point) {
    Random random(seed, Drawn::lengths, point);
    ++first_[static_cast<size_t>(random.below(cells)) + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  parallelFor(points, kCopyGrain, [&](int64_t begin, int64_t end) {
    for (int64_t point = begin; point < end; ++point)
      inCell_[static_cast<size_t>(point)] = Random(seed, Drawn::columns, point).next();
  });
}

PointCloud::Place PointCloud::cellOf(int64_t point) const {
  const int64_t cell = std::upper_bound(first_.begin(), first_.end(), point) - first_.begin() - 1;
  return {cell % side_, cell / side_ % side_, cell / side_ / side_};
}

} // namespace specmv
