// Estimates how the tiles of QCSR cut a matrix, from the profile's samples of reuse and density and
// within the bounds of its spans and lengths.
#include "generator/formats/qcsr/qcsr.h"

#include "generator/shared/gathers.h"
#include "generator/shared/kept.h"
#include "models/base/numbers.h"

#include <algorithm>
#include <cmath>

namespace specmv {

const SpanCount *qcsrSpans(const SparsityProfile &p, int64_t rows) {
  const auto found = std::ranges::find(p.spans, std::max<int64_t>(32, rows), &SpanCount::blockRows);
  return found == p.spans.end() ? nullptr : &*found;
}

double qcsrSpanTotal(const SparsityProfile &p, int64_t rows) {
  const SpanCount *spans = qcsrSpans(p, rows);
  const int64_t blocksIn32 = std::max<int64_t>(1, 32 / std::max<int64_t>(1, rows));
  return spans ? static_cast<double>(spans->total) * static_cast<double>(blocksIn32) : 0;
}

static int64_t rowsWithEntries(const SparsityProfile &p) {
  const bool hasEmpty = !p.lengths.empty() && p.lengths.front().length == 0;
  return p.rows - (hasEmpty ? p.lengths.front().rows : 0);
}

static int levelOf(int64_t d) {
  return std::min<int>(bitWidth(static_cast<Word64>(d)), kReuseLevels) - 1;
}

// The number of pairs (group, tile), estimated from a sample; at least one for each group. If the
// sample found few pairs, two standard deviations and one are added, since the bounds of
// qcsrChunkTiles() are better than a low estimate.
static double pairsIn(const SparsityProfile &p, const GroupReuse &of) {
  constexpr Count kFew = 16;
  const auto found = static_cast<double>(of.first);
  const bool isUnsure = of.first < kFew && of.sampled < p.nnz;
  const double share =
      (isUnsure ? found + 2 * std::sqrt(found) + 1 : found) / static_cast<double>(of.sampled);
  const auto groups = static_cast<double>(std::min(rowsWithEntries(p), ceilDiv(p.rows, of.rows)));
  return std::max({1.0, groups, share * static_cast<double>(p.nnz)});
}

// Samples are interpolated in logarithms, which is exact if rows share all their tiles or none. A
// chunk of more rows than were sampled has at most the pairs of its parts. A chunk touches at most
// the tiles of its span, the tiles of x, and as many tiles as it has segments.
double qcsrChunkTiles(const SparsityProfile &p, const QcsrTiles &tiles, int64_t rows) {
  if (p.nnz == 0)
    return 0;
  const ReuseAround r = reuseAround(p, levelOf(tiles.d), rows);
  const double below = pairsIn(p, r.below), above = pairsIn(p, r.above);
  const int64_t chunks = ceilDiv(p.rows, rows);
  const auto all = static_cast<double>(chunks);
  const double most = std::min({all + qcsrSpanTotal(p, rows) / static_cast<double>(tiles.d),
                                all * static_cast<double>(ceilDiv(p.cols, tiles.d)),
                                static_cast<double>(tiles.segments)});
  const auto least = static_cast<double>(std::min(chunks, rowsWithEntries(p)));
  return std::clamp(below * std::pow(above / below, r.place), least, most);
}

constexpr int64_t kBitsOfRows = 16;
static_assert(kQcsrMaxRows < int64_t{1} << kBitsOfRows);

static double countChunkTiles(const PlanRequest &in, int64_t key) {
  return qcsrChunkTiles(in.profile, qcsrTilesOf(in, key >> kBitsOfRows),
                        key & ((1 << kBitsOfRows) - 1));
}

double qcsrChunkTiles(const PlanRequest &in, const QcsrTiles &tiles, int64_t rows) {
  return kept<countChunkTiles>(in, tiles.d << kBitsOfRows | rows);
}

static int64_t segmentsOf(const SparsityProfile &p, int64_t d) {
  const int64_t least = rowsWithEntries(p);
  const double most = static_cast<double>(least) * static_cast<double>(ceilDiv(p.cols, d));
  const double share = reuseAround(p, levelOf(d), 1).below.share();
  return std::max(least, static_cast<int64_t>(std::min(most, share * static_cast<double>(p.nnz))));
}

constexpr int64_t kPaperAlign = 16;

static double paddedIfNoRowIsCut(const SparsityProfile &p) {
  double whole = 0;
  for (const LengthCount &l : p.lengths)
    whole += static_cast<double>(roundUp(l.length, kPaperAlign)) * static_cast<double>(l.rows);
  return whole;
}

// Each cut of a row adds at most 16 slots. The other estimate takes lengths as random: each entry
// is the last of its segment with probability q = 1 / mean. A segment then has more than 16 j
// entries with probability (1 - q)^16j. Its mean number of blocks of 16 is the sum over j, 1 / (1 -
// (1 - q)^16).
static int64_t padded16(const SparsityProfile &p, const QcsrTiles &tiles, double whole) {
  if (p.nnz == 0)
    return 0;
  const auto segments = static_cast<double>(tiles.segments);
  const double cuts = segments - static_cast<double>(rowsWithEntries(p));
  const double stays = 1 - segments / static_cast<double>(p.nnz);
  const double random = kPaperAlign * segments / (1 - std::pow(stays, kPaperAlign));
  return static_cast<int64_t>(std::min(whole + kPaperAlign * cuts, std::max(whole, random)));
}

static QcsrTiles tilesOf(const SparsityProfile &p, int64_t d, double paddedIfWhole) {
  QcsrTiles tiles{d, 0, segmentsOf(p, d), {}, 0};
  for (const TileDensity &density : p.tiles)
    if (density.d <= d)
      tiles.density = density;
  // A tile is touched by at least one of its chunks.
  const double touched = qcsrChunkTiles(p, tiles, std::min(d, kQcsrMaxRows));
  const double grid =
      static_cast<double>(ceilDiv(p.rows, d)) * static_cast<double>(ceilDiv(p.cols, d));
  tiles.tiles = static_cast<int64_t>(std::min(touched, grid));
  tiles.padded16 = padded16(p, tiles, paddedIfWhole);
  return tiles;
}

QcsrTiles qcsrTilesOf(const SparsityProfile &p, int64_t d) {
  return tilesOf(p, d, paddedIfNoRowIsCut(p));
}

static double countWhole(const PlanRequest &in, int64_t /*number*/) {
  return paddedIfNoRowIsCut(in.profile);
}

static QcsrTiles tilesOfCut(const PlanRequest &in, int64_t d) {
  return tilesOf(in.profile, d, kept<countWhole>(in));
}

const QcsrTiles &qcsrTilesOf(const PlanRequest &in, int64_t d) { return kept<tilesOfCut>(in, d); }

QcsrDensity qcsrDensityOf(const SparsityProfile &p, int64_t d, int bin) {
  // A leaf stores rows beyond the end of the matrix, which the profile does not count.
  const double rows = static_cast<double>(std::min(d, p.rows)) / static_cast<double>(d);
  const bool isLast = bin == kDensityBins - 1;
  constexpr double bins = kDensityBins;
  return {rows * (isLast ? 1 : (bin + 0.5) / bins), rows * (bin + 1) / bins};
}

} // namespace specmv
