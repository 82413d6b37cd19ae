// Chooses the rows that the profile samples if a matrix is too large to count everything.
#include "models/profile/samples.h"

#include <algorithm>
#include <span>

namespace specmv {

// Limits the cost to some ten milliseconds. With 65,536 entries a fill of 50 percent is known to
// 0.4 percent.
constexpr Count kMaxEntries = 65536;

namespace {
template <class I> class Chooser {
public:
  Chooser(const CsrPattern<I> &a, Count groupRows, Count unitColumns)
      : a_(a), groupRows_(groupRows), unit_(unitColumns),
        groups_((a.rows + groupRows - 1) / groupRows) {}

  std::vector<Sample> choose() const {
    const Count chosen = std::clamp<Count>(kMaxEntries * groups_ / std::max<Count>(a_.nnz, 1), 1,
                                           std::max<Count>(groups_, 1));
    std::vector<Sample> samples;
    Count room = kMaxEntries;
    for (Count k = 0; k < chosen && k < groups_; ++k) {
      const Sample group = groupAt(evenly(k, chosen));
      if (group.entries > room)
        continue;
      room -= group.entries;
      samples.push_back(group);
    }
    if (room == kMaxEntries && a_.nnz > 0)
      return {cut(firstWithEntries(chosen))};
    return samples;
  }

private:
  // The middle of the k-th of `parts` equal parts of the groups.
  Count evenly(Count k, Count parts) const {
    const Count whole = groups_ / parts, rest = groups_ % parts;
    return k * whole + whole / 2 + (2 * k + 1) * rest / (2 * parts);
  }

  Sample groupAt(Count index) const {
    const Count begin = index * groupRows_, end = std::min(begin + groupRows_, a_.rows);
    return {begin, end, a_.cols, static_cast<Count>(a_.rowPtr[end]) - a_.rowPtr[begin]};
  }

  // The first of the chosen groups that has entries; if none has, the first of all groups that has.
  Sample firstWithEntries(Count chosen) const {
    for (Count k = 0; k < chosen; ++k)
      if (const Sample group = groupAt(evenly(k, chosen)); group.entries > 0)
        return group;
    Count index = 0;
    while (groupAt(index).entries == 0)
      ++index;
    return groupAt(index);
  }

  // Keeps the first units of columns, as many as have at most 65,536 entries together, but at least
  // the first unit that has any.
  Sample cut(Sample group) const {
    if (group.entries <= kMaxEntries)
      return group;
    const std::span<const I> cols(a_.col + a_.rowPtr[group.begin], a_.col + a_.rowPtr[group.end]);
    const Count first = *std::min_element(cols.begin(), cols.end());
    const Count units = std::max(firstBeyond(cols) / unit_, first / unit_ + 1);
    if (units > a_.cols / unit_)
      return group;
    group.endColumn = units * unit_;
    group.entries =
        std::count_if(cols.begin(), cols.end(), [&](Count col) { return col < group.endColumn; });
    return group;
  }

  // A column such that the columns before it have at most 65,536 entries; all have more.
  Count firstBeyond(std::span<const I> cols) const {
    std::vector<Count> smallest;
    Count bound = a_.cols;
    for (Count col : cols) {
      if (col >= bound)
        continue;
      smallest.push_back(col);
      if (static_cast<Count>(smallest.size()) < 2 * kMaxEntries)
        continue;
      bound = dropBeyond(smallest);
    }
    return static_cast<Count>(smallest.size()) > kMaxEntries ? dropBeyond(smallest) : bound;
  }

  // Keeps the 65,536 smallest and returns the one after them.
  static Count dropBeyond(std::vector<Count> &cols) {
    const auto bound = cols.begin() + kMaxEntries;
    std::nth_element(cols.begin(), bound, cols.end());
    const Count result = *bound;
    cols.erase(bound, cols.end());
    return result;
  }

  const CsrPattern<I> &a_;
  Count groupRows_, unit_, groups_;
};
} // namespace

template <class I>
std::vector<Sample> sampleGroups(const CsrPattern<I> &a, Count groupRows, Count unitColumns) {
  return Chooser<I>(a, groupRows, unitColumns).choose();
}

template std::vector<Sample> sampleGroups(const CsrPattern<int32_t> &, Count, Count);
template std::vector<Sample> sampleGroups(const CsrPattern<int64_t> &, Count, Count);

} // namespace specmv
