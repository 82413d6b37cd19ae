// Row lengths: their counts (the PMF) and what sliced ELL would store. Reads rowPtr only.
#pragma once

#include "models/profile/profile.h"

namespace specmv {

// Counts lengths; short ones need not be sorted.
class LengthCounter {
public:
  void add(Count length, Count rows);
  // What was counted, by ascending length; the counter is empty afterwards.
  std::vector<LengthCount> take();

private:
  // Longer rows are kept one by one and sorted, which costs little beside their many entries.
  static constexpr Count kDirect = 1024;
  std::vector<Count> direct_ = std::vector<Count>(kDirect); // rows of each length
  std::vector<LengthCount> longer_;
  Count end_ = 0; // above the greatest length in direct_
};

struct LengthProfile {
  std::vector<LengthCount> lengths;
  std::vector<SliceCount> slices;
};

template <class I> LengthProfile profileLengths(const CsrPattern<I> &a);

} // namespace specmv
