// Row lengths: their counts (the PMF), and the size of a sliced ELL. Reads rowPtr only.
#pragma once

#include "models/profile/profile.h"

namespace specmv {

// Counts lengths without sorting the short ones.
class LengthCounter {
public:
  void add(Count length, Count rows);
  // Returns the counts by ascending length and empties the counter.
  std::vector<LengthCount> take();

private:
  // Longer rows are kept one by one and sorted, which costs little compared with their many
  // entries.
  static constexpr Count kDirect = 1024;
  std::vector<Count> direct_ = std::vector<Count>(kDirect); // rows of each length
  std::vector<LengthCount> longer_;
  Count end_ = 0; // one more than the largest length in direct_
};

struct LengthProfile {
  std::vector<LengthCount> lengths;
  std::vector<SliceCount> slices;
};

template <class I> LengthProfile profileLengths(const CsrPattern<I> &a);

} // namespace specmv
