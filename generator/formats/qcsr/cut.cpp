// Cuts rows at the borders of tiles, and counts the entries of each tile.
#include "generator/formats/qcsr/cut.h"

#include "models/base/numbers.h"
#include "models/base/parallel.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace specmv {

static void appendHalves(int64_t begin, int64_t end, int64_t most, std::vector<int64_t> &out) {
  if (end - begin <= most)
    return out.push_back(begin);
  const int64_t middle = begin + (end - begin) / 2;
  appendHalves(begin, middle, most, out);
  appendHalves(middle, end, most, out);
}

QcsrRanges::QcsrRanges(int64_t n, int64_t most, QcsrBorders borders)
    : n_(n), log2_(llvm::Log2_64(static_cast<uint64_t>(most))) {
  if (borders == QcsrBorders::halved && n > 0)
    appendHalves(0, n, most, begins_);
}

int64_t QcsrRanges::count() const {
  return begins_.empty() ? ceilDiv(n_, int64_t{1} << log2_) : static_cast<int64_t>(begins_.size());
}

int64_t QcsrRanges::begin(int64_t range) const {
  return begins_.empty() ? range << log2_ : begins_[range];
}

int64_t QcsrRanges::at(int64_t place) const {
  return begins_.empty() ? place >> log2_
                         : std::ranges::upper_bound(begins_, place) - begins_.begin() - 1;
}

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
static void appendSegments(int64_t row, int64_t begin, int64_t end, int64_t origin,
                           const QcsrRanges &tiles, QcsrChunk &chunk) {
  auto tileOf = [&](int64_t i) { return tiles.at(chunk.columns[i] - origin); };
  for (int64_t stop = begin; begin < end; begin = stop) {
    const int64_t tile = tileOf(begin);
    while (stop < end && tileOf(stop) == tile)
      ++stop;
    chunk.segments.push_back({tile, row, begin, stop});
  }
}

static int64_t firstTileOf(const QcsrChunk &chunk, QcsrBorders borders) {
  if (borders != QcsrBorders::ofChunk || chunk.columns.empty())
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
static void cut(const CsrView &a, const QcsrRanges &tiles, QcsrBorders borders, int64_t firstRow,
                int64_t endRow, QcsrChunk &out) {
  out.segments.clear();
  out.entries.clear();
  out.columns.clear();
  visitPattern(a, [&](auto pattern) {
    for (int64_t row = firstRow; row < endRow; ++row)
      appendRow(pattern, row, out);
    const int64_t origin = firstTileOf(out, borders);
    const auto first = static_cast<int64_t>(pattern.rowPtr[firstRow]);
    for (int64_t row = firstRow; row < endRow; ++row)
      appendSegments(row - firstRow, pattern.rowPtr[row] - first, pattern.rowPtr[row + 1] - first,
                     origin, tiles, out);
  });
  qcsrSort(out.segments, [](const QcsrSegment &s) { return s.tile; });
}

// Chunks that a thread cuts at a time.
constexpr int64_t kChunks = 16;

void qcsrForEachChunk(const CsrView &a, int64_t d, int64_t rows, QcsrBorders borders,
                      const std::function<void(int64_t, QcsrChunk &)> &f) {
  const QcsrRanges chunks(a.rows, rows, borders), tiles(a.cols, d, borders);
  parallelFor(chunks.count(), kChunks, [&](int64_t begin, int64_t end) {
    QcsrChunk chunk;
    for (int64_t c = begin; c < end; ++c) {
      cut(a, tiles, borders, chunks.begin(c), chunks.end(c), chunk);
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

namespace {
// Ranges of rows and of columns: each pair of them is a leaf, or has no entry.
struct Grid {
  int64_t d;
  QcsrBorders borders;
  QcsrRanges rows, columns;
  // Aligned leaves have d x d places, also at the end of the matrix.
  double area(int64_t row, int64_t column) const {
    const bool isHalved = borders == QcsrBorders::halved;
    return static_cast<double>(isHalved ? rows.size(row) : d) *
           static_cast<double>(isHalved ? columns.size(column) : d);
  }
};
} // namespace

static std::vector<int64_t> fullTilesOf(const CsrView &a, const Grid &grid, double fill,
                                        int64_t tileRow) {
  std::unordered_map<int64_t, int64_t> counts;
  QcsrChunk chunk;
  const int64_t end = grid.rows.end(tileRow);
  for (int64_t row = grid.rows.begin(tileRow); row < end; row += kCountedRows) {
    cut(a, grid.columns, grid.borders, row, std::min(end, row + kCountedRows), chunk);
    for (const QcsrSegment &s : chunk.segments)
      counts[s.tile] += s.length();
  }
  std::vector<int64_t> full;
  for (const auto &[tile, entries] : counts)
    if (static_cast<double>(entries) > fill * grid.area(tileRow, tile))
      full.push_back(tile);
  std::sort(full.begin(), full.end());
  return full;
}

QcsrTileList qcsrFullTiles(const CsrView &a, int64_t d, double fill, QcsrBorders borders) {
  const Grid grid{d, borders, {a.rows, d, borders}, {a.cols, d, borders}};
  const int64_t tileRows = grid.rows.count();
  std::vector<std::vector<int64_t>> full(tileRows);
  parallelFor(tileRows, 1,
              [&](int64_t row, int64_t) { full[row] = fullTilesOf(a, grid, fill, row); });
  QcsrTileList out;
  for (int64_t row = 0; row < tileRows; ++row)
    for (int64_t tile : full[row])
      out.emplace_back(row, tile);
  return out;
}

} // namespace specmv
