// The k nearest neighbours of random points in space. A point is not its own neighbour, and need
// not be one of those of its neighbours.
#include "models/lab/families/points.h"

#include "models/base/error.h"
#include "models/base/machine_memory.h"

namespace specmv {
constexpr size_t kMostNeighbours = 256; // those of a row are kept on the stack
// With as many points in a cell, the farthest neighbour is 0.7 sides of a cell away on average, so
// few points have to look beyond the next cells.
constexpr double kCellsShare = 2.0 / 3;

namespace {
// The nearest points so far, the farthest of them first; equally near ones by their numbers.
class Nearest {
public:
  explicit Nearest(size_t most) : most_(static_cast<ptrdiff_t>(most)) {}

  void offer(int64_t distance, int64_t point) {
    const std::pair<int64_t, int64_t> found(distance, point);
    if (size_ == most_) {
      if (!(found < found_.front()))
        return;
      std::pop_heap(found_.begin(), found_.begin() + size_);
      --size_;
    }
    found_[static_cast<size_t>(size_++)] = found;
    std::push_heap(found_.begin(), found_.begin() + size_);
  }
  bool isWithin(int64_t distance) const {
    return size_ == most_ && found_.front().first <= distance * distance;
  }
  void write(std::span<int32_t> col) const {
    for (size_t i = 0; i < col.size(); ++i)
      col[i] = static_cast<int32_t>(found_[i].second);
    std::sort(col.begin(), col.end());
  }

private:
  ptrdiff_t size_ = 0, most_;
  std::array<std::pair<int64_t, int64_t>, kMostNeighbours> found_;
};
} // namespace

static void fillNearest(const PointCloud &cloud, int64_t point, std::span<int32_t> col) {
  if (col.empty())
    return;
  for (int64_t ring = 1;; ++ring) {
    Nearest nearest(col.size());
    cloud.forNear(point, ring, [&](int64_t other, int64_t distance) {
      if (other != point)
        nearest.offer(distance, other);
    });
    if (nearest.isWithin(ring * PointCloud::kCellSide) || ring >= cloud.side())
      return nearest.write(col);
  }
}

llvm::Expected<CsrMatrix> generateKnn(const SpecOptions &options) {
  const int64_t rows = options.integer("rows"), limit = options.integer("k");
  const int64_t k = options.given("k") ? limit : std::min(limit, rows - 1);
  if (k >= rows)
    return fail(Status::badCall, "knn: k={0} exceeds the {1} other points (rows={2})", k, rows - 1,
                rows);
  if (llvm::Error error = checkFits(rows, rows, k * rows, availableMemory()))
    return error;
  const Values values = valuesOf(options);
  const PointCloud cloud(rows, std::max(1.0, static_cast<double>(k) * kCellsShare), values.seed);
  return buildMatrix(
      rows, rows, values, [k](int64_t) { return k; },
      [&](int64_t row, std::span<int32_t> col) { fillNearest(cloud, row, col); });
}

} // namespace specmv
