// Makes the tables of rows that blocks share and of the hottest columns on the host.
#include "generator/shared/open_rows.h"

#include "models/base/numbers.h"
#include "models/profile/column_degrees.h"

#include <algorithm>

namespace specmv {

// --- Open rows -----------------------------------------------------------------------------------

// Implements the table of rows that several blocks share.

Fields openRowFields(const Problem &problem, int64_t blocks) {
  const bool isNarrow = vectorTypeOf(problem) == ValueType::f32;
  const int64_t sums = problem.vectors * blocks;
  return {array("openFirst", ElementType::u32, blocks + 1),
          array("openLast", ElementType::u32, blocks + 1),
          scratch("partialSums", isNarrow ? ElementType::u32 : ElementType::u64, 2 * sums),
          scratch("arrivals", ElementType::u32, sums)};
}

void fillOpenRows(Layout &out, const std::vector<int64_t> &openRow) {
  const auto boundaries = static_cast<int64_t>(openRow.size());
  auto *first = out.find("openFirst")->as<uint32_t>(), *last = out.find("openLast")->as<uint32_t>();
  for (int64_t begin = 0, end = 0; begin < boundaries; begin = end) {
    // The row is open at boundaries begin .. end - 1, so blocks begin - 1 .. end - 1 share it.
    end = begin + 1;
    while (openRow[begin] != kNoRow && end < boundaries && openRow[end] == openRow[begin])
      ++end;
    const int64_t firstBlock = openRow[begin] == kNoRow ? begin : begin - 1;
    const int64_t lastBlock = openRow[begin] == kNoRow ? begin : end - 1;
    std::fill(first + begin, first + end, static_cast<uint32_t>(firstBlock));
    std::fill(last + begin, last + end, static_cast<uint32_t>(lastBlock));
  }
}

// Partial sums that a warp adds up at a time.
constexpr int64_t kCollectedByWarp = 32 * kCollectedTogether;

// A meeting of blocks is two atomics one after the other, each of which goes to L2 and back. A row
// longer than one block's share has one more meeting, in which it waits for its slowest block.
int64_t openRowChain(int64_t length, int64_t share, const GpuModel &gpu) {
  const int64_t meetings = ceilDiv(ceilDiv(length, share), kCollectedByWarp) + (length > share);
  return static_cast<int64_t>(gpu.rates[kMeetingPasses] * static_cast<double>(meetings));
}

// --- Hot columns ---------------------------------------------------------------------------------

// Lists the hottest columns on the host.

std::vector<int64_t> hottestColumns(const CsrView &a, int64_t most) {
  const std::vector<int32_t> degrees = degreesOfColumns(a);
  const int64_t least = hottestOf(countedFrom(degrees, a.nnz), most).least;
  std::vector<int64_t> out;
  for (size_t c = 0; c < degrees.size() && static_cast<int64_t>(out.size()) < most; ++c)
    if (degrees[c] >= least)
      out.push_back(static_cast<int64_t>(c));
  return out;
}

} // namespace specmv
