// Tests of which blocks share a row, against a count over all pairs of blocks.
#include "generator/borders.h"
#include "tests/generator/edge_matrices.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

// The row that has entries both before entry e and from it on, -1 if none has.
int64_t rowAcross(const CsrMatrix &a, int64_t e) {
  for (int64_t row = 0; row < a.rows; ++row)
    if (a.rowPtr[row] < e && e < a.rowPtr[row + 1])
      return row;
  return -1;
}

// Whether row `row` has an entry in begin .. end - 1.
bool hasEntry(const CsrMatrix &a, int64_t row, int64_t begin, int64_t end) {
  return std::max<int64_t>(a.rowPtr[row], begin) < std::min<int64_t>(a.rowPtr[row + 1], end);
}

int64_t rowOf(const CsrMatrix &a, int64_t e) {
  int64_t row = 0;
  while (a.rowPtr[row + 1] <= e)
    ++row;
  return row;
}

// Other blocks of `share` entries, from `from` to `to`, with an entry of the row of entry e.
int64_t blocksWith(const CsrMatrix &a, int64_t e, int64_t share, int64_t from, int64_t to) {
  int64_t count = 0;
  for (int64_t b = from; b <= to; ++b)
    count += hasEntry(a, rowOf(a, e), b * share, (b + 1) * share);
  return count;
}

} // namespace

TEST_CASE("blocks know how many others have a part of the rows at their ends") {
  int64_t most = 0;
  for (const CsrMatrix &a : edgeMatrices())
    for (int64_t share : {1, 7, 64, 1000}) {
      CAPTURE(a.name);
      CAPTURE(share);
      const int64_t blocks = (a.nnz() + share - 1) / share;
      std::vector<int64_t> cut;
      for (int64_t b = 0; b < blocks; ++b)
        cut.push_back(rowAcross(a, b * share));
      Layout layout;
      addBorders(layout, ElementType::f64, cut);
      CHECK(layout.storedBytes() == blocks * kBorderBytes);
      CHECK(layout.find("borderSum")->count() == blocks);
      for (int64_t b = 0; b < blocks; b += share == 1 ? 13 : 1) {
        const int64_t last = std::min<int64_t>((b + 1) * share, a.nnz()) - 1;
        const int64_t before = blocksWith(a, b * share, share, 0, b - 1);
        const int64_t after = blocksWith(a, last, share, b + 1, blocks - 1);
        CHECK(layout.find("blocksBefore")->as<int32_t>()[b] == before);
        CHECK(layout.find("blocksAfter")->as<int32_t>()[b] == after);
        most = std::max(most, before);
      }
    }
  CHECK(most > 500);
}
