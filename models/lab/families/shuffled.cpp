// Numbers the rows and columns of a matrix at random.
#include "models/lab/families/shuffled.h"

#include "models/base/random.h"
#include "models/lab/families/lengths.h"

#include <algorithm>
#include <numeric>

namespace specmv {

// The new numbers of 0 .. count - 1.
static std::vector<int32_t> randomNumbers(int64_t count, int64_t index) {
  std::vector<int32_t> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), 0);
  shuffle(Random(1, Drawn::lengths, index), out);
  return out;
}

CsrMatrix shuffled(const CsrMatrix &a) {
  const std::vector<int32_t> rowAt = randomNumbers(a.rows, 0);
  std::vector<int32_t> newColumn = a.rows == a.cols ? rowAt : randomNumbers(a.cols, 1);
  if (a.rows == a.cols)
    for (size_t i = 0; i < rowAt.size(); ++i)
      newColumn[static_cast<size_t>(rowAt[i])] = static_cast<int32_t>(i);
  CsrMatrix out{.name = "", .rows = a.rows, .cols = a.cols, .col = {}, .val = {}};
  std::vector<std::pair<int32_t, double>> entries;
  for (const int32_t row : rowAt) {
    entries.clear();
    for (auto e = static_cast<size_t>(a.rowPtr[static_cast<size_t>(row)]);
         e < static_cast<size_t>(a.rowPtr[static_cast<size_t>(row) + 1]); ++e)
      entries.emplace_back(newColumn[static_cast<size_t>(a.col[e])], a.val[e]);
    std::sort(entries.begin(), entries.end());
    for (const auto &[column, value] : entries) {
      out.col.push_back(column);
      out.val.push_back(value);
    }
    out.rowPtr.push_back(static_cast<int32_t>(out.col.size()));
  }
  return out;
}

} // namespace specmv
