// Estimates the blocks of a shape, their bytes and their steps from the profile.
#include "generator/formats/bcsr/shapes.h"

#include "generator/coding/coding.h"
#include "generator/shared/gathers.h"

#include <cmath>

namespace specmv {

bool isBcsrLocal(const SparsityProfile &p, int64_t r, int64_t c) {
  constexpr int64_t kFar = (1 << 15) * kMaxBcsrSide; // no sum overflows below
  return p.bandwidth < kFar && (p.bandwidth + r) / c + 2 < 1 << 15;
}

double bcsrBytesPerSlot(const PlanRequest &in) {
  constexpr int64_t kMany = 1 << 12;
  return static_cast<double>(bytesOfValues(in.values, in.problem.type, kMany)) / kMany;
}

// The bytes stored for each block: its elements of the arrays of bcsrFields(). It needs no plan,
// since many shapes are compared.
static double bytesPerBlock(const PlanRequest &in, int64_t r, int64_t c, bool full,
                            double perSlot) {
  const ElementType column =
      bcsrLocalType(isBcsrLocal(in.profile, r, c), columnTypeFor(in.profile.cols));
  return static_cast<double>(r * c) * perSlot +
         static_cast<double>(sizeOf(column) + (full ? 0 : sizeOf(bcsrMaskType(r, c))));
}

// Returns how many times the number of full blocks a sample may count: a group of 24 rows has 3 or
// 4 first rows of 7 and is off by a seventh, the mean of many groups by less.
static double mostCutBlocks(const BlockFill &fill) {
  const double groups = static_cast<double>(fill.sampledRows) / static_cast<double>(kSampledRows);
  return 1 + std::min(0.2, 0.45 / std::sqrt(std::max(1.0, groups)));
}

// Returns true if all sampled blocks are full. The borders of sampled groups cut blocks of 5 and of
// 7 rows, so their counts are not exact. For these it is enough that all blocks of one row are
// full, and that there are about as few blocks as entries allow; bcsrLayout() checks all blocks.
static bool mayBeFull(const SparsityProfile &p, int64_t r, int64_t c) {
  const BlockFill &fill = p.blockFill;
  const bool isCut = kSampledRows % r != 0 && fill.sampledRows < p.rows;
  const int64_t seen = isCut ? 1 : r;
  return fill.sampledEntries > 0 &&
         fill.blocks[seen - 1][c - 1] * seen * c == fill.sampledEntries &&
         blocksPerEntry(p, r, c) * static_cast<double>(r * c) < mostCutBlocks(fill);
}

BlockShape blockShapeOf(const PlanRequest &in, int64_t r, int64_t c, double perSlot) {
  const bool full = mayBeFull(in.profile, r, c);
  const double perEntry = blocksPerEntry(in.profile, r, c);
  return {r, c, perEntry * static_cast<double>(in.profile.nnz),
          perEntry * bytesPerBlock(in, r, c, full, perSlot), full};
}

// The mean length of the longest row of slices of `rows` rows, or of the next larger slices that
// the profile counts.
static double meanLongest(const SparsityProfile &p, int64_t rows) {
  double mean = static_cast<double>(p.nnz) / static_cast<double>(std::max<int64_t>(1, p.rows));
  for (const SliceCount &s : p.slices)
    if (s.window == 1 && rows > 1) {
      const int64_t places = std::max<int64_t>(1, roundUp(p.rows, s.slice));
      mean = static_cast<double>(s.padded) / static_cast<double>(places);
      if (s.slice >= rows)
        break;
    }
  return mean;
}

// Steps of all slices. It assumes that the lengths of block rows vary as much as those of rows.
static int64_t stepsOf(const SparsityProfile &p, const BlockShape &shape, int64_t lanes,
                       int64_t slices) {
  const double blockRows = static_cast<double>(std::max<int64_t>(1, ceilDiv(p.rows, shape.r)));
  const double shortest = meanLongest(p, shape.r);
  const double padding =
      shortest > 0 ? meanLongest(p, bcsrSliceRows(lanes) * shape.r) / shortest : 1;
  // The last step of a slice of several lanes a row is half empty.
  const double perSlice =
      shape.blocks / blockRows * std::max(1.0, padding) / static_cast<double>(lanes) +
      (lanes > 1 ? 0.5 : 0);
  return std::max(static_cast<int64_t>(std::llround(perSlice * static_cast<double>(slices))),
                  std::min(slices, static_cast<int64_t>(shape.blocks)));
}

BcsrCounts bcsrCountsOf(const SparsityProfile &p, const BlockShape &shape, int64_t lanes) {
  const int64_t slices = ceilDiv(ceilDiv(p.rows, shape.r), bcsrSliceRows(lanes));
  return {p.rows, slices, stepsOf(p, shape, lanes, slices)};
}

} // namespace specmv
