// Cuts a matrix into the leaves of QCSR's quadtree.
#include "generator/qcsr_pack.h"

#include "models/parallel.h"

#include <algorithm>
#include <numeric>

namespace specmv {

namespace {

// Entries of each tile of one tile-row, to tell Full leaves.
template <class I>
std::vector<uint32_t> tileCounts(const CsrPattern<I> &a, int64_t tileRow, int64_t d) {
  std::vector<uint32_t> counts(a.cols / d + 1);
  const int64_t end = std::min(a.rows, (tileRow + 1) * d);
  for (int64_t e = a.rowPtr[tileRow * d]; e < a.rowPtr[end]; ++e)
    ++counts[a.col[e] / d];
  return counts;
}

// Appends a row's entries to the chunk, by ascending column.
template <class I> void appendRow(const CsrPattern<I> &a, int64_t row, QcsrChunk &chunk) {
  const auto begin = static_cast<std::ptrdiff_t>(chunk.entries.size());
  chunk.entries.resize(begin + a.rowPtr[row + 1] - a.rowPtr[row]);
  std::iota(chunk.entries.begin() + begin, chunk.entries.end(), a.rowPtr[row]);
  if (!std::is_sorted(a.col + a.rowPtr[row], a.col + a.rowPtr[row + 1]))
    std::stable_sort(chunk.entries.begin() + begin, chunk.entries.end(),
                     [&](int64_t l, int64_t r) { return a.col[l] < a.col[r]; });
}

// The segments of a row, in the order of their tiles.
struct Piece {
  int64_t tile;
  QcsrSegment segment;
};

template <class I>
void cutRow(const CsrPattern<I> &a, int64_t d, int64_t row, int64_t begin, const QcsrChunk &chunk,
            std::vector<Piece> &pieces) {
  const auto end = static_cast<int64_t>(chunk.entries.size());
  while (begin < end) {
    const int64_t tile = a.col[chunk.entries[begin]] / d;
    int64_t stop = begin + 1;
    while (stop < end && a.col[chunk.entries[stop]] / d == tile)
      ++stop;
    pieces.push_back({tile, {row, begin, stop}});
    begin = stop;
  }
}

template <class I>
QcsrChunk cutChunk(const CsrPattern<I> &a, const QcsrShape &shape, int64_t firstRow,
                   const std::vector<uint32_t> &counts) {
  QcsrChunk chunk;
  std::vector<Piece> pieces;
  const int64_t end = std::min(a.rows, firstRow + shape.rowsPerBlock);
  for (int64_t row = firstRow; row < end; ++row) {
    const auto begin = static_cast<int64_t>(chunk.entries.size());
    appendRow(a, row, chunk);
    cutRow(a, shape.d, row - firstRow, begin, chunk, pieces);
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece &l, const Piece &r) { return l.tile < r.tile; });
  const double fullAbove = shape.fill * static_cast<double>(shape.d) * static_cast<double>(shape.d);
  for (const Piece &piece : pieces) {
    if (chunk.tiles.empty() || chunk.tiles.back().column != piece.tile)
      chunk.tiles.push_back({piece.tile, counts[piece.tile] > fullAbove, {}});
    chunk.tiles.back().segments.push_back(piece.segment);
  }
  return chunk;
}

template <class I>
std::vector<QcsrChunk> cutMatrix(const CsrPattern<I> &a, const QcsrShape &shape) {
  std::vector<QcsrChunk> chunks((a.rows + shape.rowsPerBlock - 1) / shape.rowsPerBlock);
  const int64_t chunksPerTileRow = shape.d / shape.rowsPerBlock;
  const int64_t tileRows = (a.rows + shape.d - 1) / shape.d;
  const auto total = static_cast<int64_t>(chunks.size());
  parallelFor(tileRows, 1, [&](int64_t tileRow, int64_t) {
    const std::vector<uint32_t> counts = tileCounts(a, tileRow, shape.d);
    const int64_t end = std::min(total, (tileRow + 1) * chunksPerTileRow);
    for (int64_t c = tileRow * chunksPerTileRow; c < end; ++c)
      chunks[c] = cutChunk(a, shape, c * shape.rowsPerBlock, counts);
  });
  return chunks;
}

} // namespace

std::vector<QcsrChunk> qcsrChunks(const CsrView &a, const QcsrShape &shape) {
  return visitPattern(a, [&](auto pattern) { return cutMatrix(pattern, shape); });
}

// A half-open region of the matrix and the entries in it.
template <class I> struct Region {
  int64_t startRow, endRow, startColumn, endColumn;
  std::vector<std::pair<I, I>> entries; // (row, column)
};

// Moves the region's entries at or beyond `middle` (of rows or columns) into a region of their own.
template <class I> static Region<I> splitOff(Region<I> &region, bool byRow, int64_t middle) {
  Region<I> upper{region.startRow, region.endRow, region.startColumn, region.endColumn, {}};
  (byRow ? upper.startRow : upper.startColumn) = middle;
  (byRow ? region.endRow : region.endColumn) = middle;
  auto inLower = [&](const std::pair<I, I> &e) { return (byRow ? e.first : e.second) < middle; };
  auto from = std::partition(region.entries.begin(), region.entries.end(), inLower);
  upper.entries.assign(from, region.entries.end());
  region.entries.erase(from, region.entries.end());
  return upper;
}

template <class I> static int64_t leavesOf(Region<I> region, int64_t d) {
  if (region.entries.empty())
    return 0;
  const int64_t rows = region.endRow - region.startRow;
  const int64_t columns = region.endColumn - region.startColumn;
  if (rows <= d && columns <= d)
    return 1;
  const bool byRow = rows > d;
  Region<I> upper = splitOff(region, byRow,
                             byRow ? region.startRow + rows / 2 : region.startColumn + columns / 2);
  return leavesOf(std::move(region), d) + leavesOf(std::move(upper), d);
}

int64_t qcsrTilesAsPrinted(const CsrView &a, int64_t d) {
  return visitPattern(a, [&](auto p) {
    using I = typename decltype(p)::Index;
    Region<I> all{0, p.rows, 0, p.cols, {}};
    for (int64_t row = 0; row < p.rows; ++row)
      for (int64_t e = p.rowPtr[row]; e < p.rowPtr[row + 1]; ++e)
        all.entries.emplace_back(static_cast<I>(row), p.col[e]);
    return leavesOf(std::move(all), d);
  });
}

} // namespace specmv
