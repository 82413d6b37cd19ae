// Finds thresholds of HYB and the longest rows of groups from a profile's counts.
#include "generator/shared/lengths.h"

#include "generator/emit.h"
#include "generator/shared/kept.h"
#include "models/predict/pmf/pmf.h"
#include "models/predict/strips/strips.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace specmv {

// --- Hyb thresholds ------------------------------------------------------------------------------

// Finds the thresholds of HYB from the row lengths.

// The k with the fewest bytes. One more column of ELL costs every row a slot of v + 4 bytes and
// saves each longer row a triplet of v + 8 bytes, so it pays while at least (v + 4) / (v + 8) of
// the rows are longer.
static int64_t kOfFewestBytes(const SparsityProfile &p, ValueType type) {
  const auto v = static_cast<int64_t>(sizeOf(type));
  int64_t k = 0, longer = p.rows;
  for (const LengthCount &l : p.lengths) {
    if (longer * (v + 8) < p.rows * (v + 4))
      break;
    k = l.length;
    longer -= l.rows;
  }
  return k;
}

static std::vector<int64_t> thresholdsOf(const PlanRequest &in, int64_t /*number*/) {
  const SparsityProfile &p = in.profile;
  if (isFixed(in.fixed, key::kHybK))
    return {fixedOr(in.fixed, key::kHybK, 0)};
  const PmfInput pmf{p.lengths, p.rows, p.cols, in.problem.type};
  std::vector<int64_t> out = {pmfHybKOnDevice(pmf, in.gpu)};
  const auto offer = [&out](int64_t k) {
    if (!llvm::is_contained(out, k))
      out.push_back(k);
  };
  offer(kOfFewestBytes(p, in.problem.type));
  if (const int64_t k = hybThresholdOfRowShare(p); k > 0)
    offer(k);
  return out;
}

const std::vector<int64_t> &hybThresholds(const PlanRequest &in) { return kept<thresholdsOf>(in); }

// --- Longest rows --------------------------------------------------------------------------------

// Reads the longest rows of groups from the profile's counts of slices: a slice is as wide as its
// longest row.

// The length that at least this many rows have.
static Count lengthOfMany(const SparsityProfile &p, Count rows) {
  Count seen = 0;
  for (const LengthCount &l : llvm::reverse(p.lengths))
    if ((seen += l.rows) >= rows)
      return l.length;
  return 0;
}

double longestOfRows(const SparsityProfile &p, int64_t rows) {
  SliceCount found{1, 1, p.nnz};
  for (const SliceCount &s : p.slices)
    if (s.window == 1 && s.slice <= rows && s.slice > found.slice)
      found = s;
  const double longest =
      static_cast<double>(found.padded) / static_cast<double>(std::max<int64_t>(1, p.rows));
  if (rows < 2 * found.slice)
    return longest;
  const Count less = std::max<Count>(1, lengthOfMany(p, p.rows / found.slice)),
              more = lengthOfMany(p, std::max<Count>(1, p.rows / rows));
  return longest * static_cast<double>(std::max(less, more)) / static_cast<double>(less);
}

} // namespace specmv
