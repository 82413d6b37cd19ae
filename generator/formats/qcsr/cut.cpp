// Cuts rows at the borders of tiles, and counts the entries of each tile.
#include "generator/formats/qcsr/cut.h"

#include "models/base/parallel.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace specmv {

// Appends a row's entries, by ascending column.
template <class I> static void appendRow(const CsrPattern<I> &a, int64_t row, QcsrChunk &chunk) {
  const auto begin = static_cast<std::ptrdiff_t>(chunk.entries.size());
  chunk.entries.resize(begin + a.rowPtr[row + 1] - a.rowPtr[row]);
  std::iota(chunk.entries.begin() + begin, chunk.entries.end(), a.rowPtr[row]);
  if (!std::is_sorted(a.col + a.rowPtr[row], a.col + a.rowPtr[row + 1]))
    std::stable_sort(chunk.entries.begin() + begin, chunk.entries.end(),
                     [&](int64_t l, int64_t r) { return a.col[l] < a.col[r]; });
  for (size_t i = begin; i < chunk.entries.size(); ++i)
    chunk.columns.push_back(a.col[chunk.entries[i]]);
}

// Appends the segments of a row, which has the entries begin .. end - 1.
static void appendSegments(int64_t row, int64_t begin, int64_t end, int64_t origin, unsigned log2d,
                           QcsrChunk &chunk) {
  auto tileOf = [&](int64_t i) { return (chunk.columns[i] - origin) >> log2d; };
  for (int64_t stop = begin; begin < end; begin = stop) {
    const int64_t tile = tileOf(begin);
    while (stop < end && tileOf(stop) == tile)
      ++stop;
    chunk.segments.push_back({tile, row, begin, stop});
  }
}

static int64_t firstTileOf(const QcsrChunk &chunk, QcsrBorders borders) {
  if (borders == QcsrBorders::ofMatrix || chunk.columns.empty())
    return 0;
  return *std::min_element(chunk.columns.begin(), chunk.columns.end());
}

// Counting sort is used if there are at most this many possible keys for each segment. With it,
// packing 300,000 rows of a band took 206 ms of processor time instead of 352.
constexpr int64_t kCountedKeys = 4;

void qcsrSort(llvm::MutableArrayRef<QcsrSegment> segments,
              llvm::function_ref<int64_t(const QcsrSegment &)> key) {
  auto isLess = [&](const QcsrSegment &l, const QcsrSegment &r) { return key(l) < key(r); };
  if (std::is_sorted(segments.begin(), segments.end(), isLess))
    return;
  const auto [least, most] = std::minmax_element(segments.begin(), segments.end(), isLess);
  const int64_t first = key(*least), keys = key(*most) - first + 1;
  if (keys > kCountedKeys * static_cast<int64_t>(segments.size()))
    return std::stable_sort(segments.begin(), segments.end(), isLess);
  std::vector<size_t> places(keys + 1);
  for (const QcsrSegment &s : segments)
    ++places[key(s) - first + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  const std::vector<QcsrSegment> unsorted(segments.begin(), segments.end());
  for (const QcsrSegment &s : unsorted)
    segments[places[key(s) - first]++] = s;
}

// Cuts rows firstRow .. endRow - 1 and replaces the contents of `out`.
static void cut(const CsrView &a, int64_t d, QcsrBorders borders, int64_t firstRow, int64_t endRow,
                QcsrChunk &out) {
  out.segments.clear();
  out.entries.clear();
  out.columns.clear();
  const unsigned log2d = llvm::Log2_64(static_cast<uint64_t>(d));
  visitPattern(a, [&](auto pattern) {
    for (int64_t row = firstRow; row < endRow; ++row)
      appendRow(pattern, row, out);
    const int64_t origin = firstTileOf(out, borders);
    const auto first = static_cast<int64_t>(pattern.rowPtr[firstRow]);
    for (int64_t row = firstRow; row < endRow; ++row)
      appendSegments(row - firstRow, pattern.rowPtr[row] - first, pattern.rowPtr[row + 1] - first,
                     origin, log2d, out);
  });
  qcsrSort(out.segments, [](const QcsrSegment &s) { return s.tile; });
}

// Chunks that a thread cuts at a time.
constexpr int64_t kChunks = 16;

void qcsrForEachChunk(const CsrView &a, int64_t d, int64_t rows, QcsrBorders borders,
                      const std::function<void(int64_t, QcsrChunk &)> &f) {
  parallelFor((a.rows + rows - 1) / rows, kChunks, [&](int64_t begin, int64_t end) {
    QcsrChunk chunk;
    for (int64_t c = begin; c < end; ++c) {
      cut(a, d, borders, c * rows, std::min(a.rows, (c + 1) * rows), chunk);
      f(c, chunk);
    }
  });
}

llvm::ArrayRef<QcsrSegment> qcsrTileAt(const QcsrChunk &chunk, size_t begin) {
  return llvm::ArrayRef(chunk.segments).drop_front(begin).take_while([&](const QcsrSegment &s) {
    return s.tile == chunk.segments[begin].tile;
  });
}

std::pair<int64_t, int64_t> qcsrColumnsOf(const QcsrChunk &chunk,
                                          llvm::ArrayRef<QcsrSegment> tile) {
  int64_t first = chunk.columns[tile[0].begin], last = first;
  for (const QcsrSegment &s : tile) {
    first = std::min(first, chunk.columns[s.begin]);
    last = std::max(last, chunk.columns[s.end - 1]);
  }
  return {first, last + 1};
}

// Rows that are cut at a time to count tiles.
constexpr int64_t kCountedRows = 256;

static std::vector<int64_t> fullTilesOf(const CsrView &a, int64_t d, double fill, int64_t tileRow) {
  std::unordered_map<int64_t, int64_t> counts;
  QcsrChunk chunk;
  const int64_t end = std::min(a.rows, (tileRow + 1) * d);
  for (int64_t row = tileRow * d; row < end; row += kCountedRows) {
    cut(a, d, QcsrBorders::ofMatrix, row, std::min(end, row + kCountedRows), chunk);
    for (const QcsrSegment &s : chunk.segments)
      counts[s.tile] += s.length();
  }
  std::vector<int64_t> full;
  for (const auto &[tile, entries] : counts)
    if (static_cast<double>(entries) > fill * static_cast<double>(d) * static_cast<double>(d))
      full.push_back(tile);
  std::sort(full.begin(), full.end());
  return full;
}

QcsrTileList qcsrFullTiles(const CsrView &a, int64_t d, double fill) {
  const int64_t tileRows = (a.rows + d - 1) / d;
  std::vector<std::vector<int64_t>> full(tileRows);
  parallelFor(tileRows, 1, [&](int64_t row, int64_t) { full[row] = fullTilesOf(a, d, fill, row); });
  QcsrTileList out;
  for (int64_t row = 0; row < tileRows; ++row)
    for (int64_t tile : full[row])
      out.emplace_back(row, tile);
  return out;
}

} // namespace specmv
