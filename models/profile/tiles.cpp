// Measures the density of the aligned d x d tiles of sampled entries, d = 16 .. 65536.
#include "models/profile/samples.h"

#include <limits>

namespace specmv {

// The number of entries of a row in the d columns from `left`.
template <class I>
static Count entriesWithin(const CsrPattern<I> &a, Count row, Count left, Count d) {
  // The last tile may reach beyond the largest Count, which is never a column.
  const Count right = left + std::min(d, std::numeric_limits<Count>::max() - left);
  const Count begin = lowerBound(a.col, a.rowPtr[row], a.rowPtr[row + 1], left);
  return lowerBound(a.col, begin, a.rowPtr[row + 1], right) - begin;
}

template <class I> static int densityBinOf(const CsrPattern<I> &a, Count d, Count entry) {
  const Count top = rowOfEntry(a.rowPtr, a.rows, entry) / d * d, left = a.col[entry] / d * d;
  const Count height = std::min(d, a.rows - top), looked = std::min<Count>(kTileRows, height);
  Count entries = 0;
  for (Count k = 0; k < looked; ++k)
    entries += entriesWithin(a, top + evenlySpread(k, looked, height), left, d);
  return densityBin(entries, looked * d);
}

template <class I> std::vector<TileDensity> countTiles(const CsrPattern<I> &a) {
  const Count samples = std::min<Count>(kTileSamples, a.nnz);
  std::vector<TileDensity> tiles(kTileLevels);
  parallelFor(kTileLevels, 1, [&](Count level, Count) {
    TileDensity &tile = tiles[static_cast<size_t>(level)];
    tile = {tileSize(static_cast<int>(level)), samples, {}};
    for (Count k = 0; k < samples; ++k)
      ++tile.bins[static_cast<size_t>(densityBinOf(a, tile.d, evenlySpread(k, samples, a.nnz)))];
  });
  return tiles;
}

template std::vector<TileDensity> countTiles(const CsrPattern<int32_t> &);
template std::vector<TileDensity> countTiles(const CsrPattern<int64_t> &);

} // namespace specmv
