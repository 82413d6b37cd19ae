// Draws columns by their popularity.
#include "models/lab/families/popular.h"

#include "models/lab/families/lengths.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace specmv {
// Enough for rows of tens of columns out of thousands: in a test with 3,000 rows of 45 out of
// 20,000 columns, no row took more than 7 passes.
constexpr int kPasses = 8;

PopularColumns::PopularColumns(int64_t cols, uint64_t seed, Popularity popularity)
    : popularity_(popularity), columnOf_(static_cast<size_t>(cols)) {
  std::iota(columnOf_.begin(), columnOf_.end(), 0);
  shuffle(Random(seed, Drawn::columns, -1), columnOf_); // rows use the numbers 0 and above
}

int32_t PopularColumns::draw(Random &random) const {
  if (popularity_ == Popularity::squareRoot) {
    const double share = random.unit(), ranks = static_cast<double>(columnOf_.size());
    return columnOf_[static_cast<size_t>(share * share * ranks)];
  }
  const int octaves = std::bit_width(columnOf_.size());
  for (;;) { // the last octave may have fewer ranks
    const int64_t first = int64_t{1} << random.below(octaves);
    const auto rank = static_cast<size_t>(first + random.below(first) - 1);
    if (rank < columnOf_.size())
      return columnOf_[rank];
  }
}

void PopularColumns::extend(Random &random, std::span<int32_t> out, size_t have) const {
  for (int pass = 0; pass < kPasses && have < out.size(); ++pass) {
    const auto first = out.begin() + static_cast<ptrdiff_t>(have);
    std::generate(first, out.end(), [&] { return draw(random); });
    std::sort(out.begin(), out.end());
    have = static_cast<size_t>(std::unique(out.begin(), out.end()) - out.begin());
  }
  extendDistinct(random, out, have, 0, static_cast<int64_t>(columnOf_.size()));
}

} // namespace specmv
