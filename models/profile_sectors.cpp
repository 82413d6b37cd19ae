// Counts the distinct 32-byte sectors of x that groups of rows touch: what L2 must deliver to a
// warp or a block that loads each sector once.
#include "models/parallel.h"
#include "models/profile_samples.h"

#include <algorithm>
#include <atomic>

namespace specmv {

constexpr Count kFloats = 8, kDoubles = 4; // in a sector

// The number of distinct values of an ascending list, which keeps one of each.
static Count dropRepeated(std::vector<Count> &list) {
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return static_cast<Count>(list.size());
}

template <class I> SectorCount countSectors(const CsrPattern<I> &a, Count groupRows) {
  const std::vector<Sample> samples = sampleGroups(a, groupRows, kFloats);
  std::atomic<Count> entries{0}, f32{0}, f64{0};
  parallelFor(static_cast<Count>(samples.size()), 64, [&](Count begin, Count end) {
    std::vector<Count> sectors;
    for (Count index = begin; index < end; ++index) {
      const Sample &sample = samples[static_cast<size_t>(index)];
      sectors.clear();
      for (Count row = sample.begin; row < sample.end; ++row)
        appendColumns(a, row, sample, sectors);
      std::transform(sectors.begin(), sectors.end(), sectors.begin(),
                     [](Count col) { return col / kDoubles; });
      std::sort(sectors.begin(), sectors.end());
      entries += sample.entries;
      f64 += dropRepeated(sectors);
      std::transform(sectors.begin(), sectors.end(), sectors.begin(),
                     [](Count sector) { return sector / (kFloats / kDoubles); });
      f32 += dropRepeated(sectors);
    }
  });
  return {groupRows, entries, f32, f64};
}

template SectorCount countSectors(const CsrPattern<int32_t> &, Count);
template SectorCount countSectors(const CsrPattern<int64_t> &, Count);

} // namespace specmv
