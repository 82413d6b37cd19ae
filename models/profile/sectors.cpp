// Counts the distinct 32-byte sectors of x that groups of rows read: what L2 must deliver to a warp
// or a block that loads each sector once.
#include "models/base/numbering.h"
#include "models/base/parallel.h"
#include "models/profile/samples.h"

#include <atomic>
#include <span>

namespace specmv {

constexpr Count kFloats = 8, kDoubles = 4; // in a sector

namespace {
// Counts the distinct keys of each group.
class DistinctKeys {
public:
  explicit DistinctKeys(Count most) : numbering_(static_cast<size_t>(most)) {}

  // Adds a key and tells whether it is new in its group. Groups come one after another.
  bool add(Count key, Count group) {
    const size_t number = numbering_.numberOf(key);
    if (number == lastGroup_.size())
      lastGroup_.push_back(-1);
    const bool isNew = lastGroup_[number] != group;
    lastGroup_[number] = group;
    count_ += isNew;
    return isNew;
  }
  Count count() const { return count_; }

private:
  Numbering numbering_;
  std::vector<Count> lastGroup_; // of each key
  Count count_ = 0;
};
} // namespace

template <class I> SectorCount countSectors(const CsrPattern<I> &a, Count groupRows) {
  const std::vector<Sample> samples = sampleGroups(a, groupRows, kFloats);
  std::atomic<Count> entries{0}, f32{0}, f64{0};
  parallelFor(static_cast<Count>(samples.size()), 64, [&](Count begin, Count end) {
    const std::span<const Sample> own(samples.data() + begin, samples.data() + end);
    Count most = 0;
    for (const Sample &sample : own)
      most += sample.entries;
    DistinctKeys doubles(most), floats(most);
    std::vector<Count> cols;
    for (const Sample &sample : own) {
      cols.clear();
      for (Count row = sample.begin; row < sample.end; ++row)
        appendColumns(a, row, sample, cols);
      for (Count col : cols) // a sector of floats has the columns of two sectors of doubles
        if (doubles.add(col / kDoubles, sample.begin))
          floats.add(col / kFloats, sample.begin);
    }
    entries += most;
    f64 += doubles.count();
    f32 += floats.count();
  });
  return {groupRows, entries, f32, f64};
}

template SectorCount countSectors(const CsrPattern<int32_t> &, Count);
template SectorCount countSectors(const CsrPattern<int64_t> &, Count);

} // namespace specmv
