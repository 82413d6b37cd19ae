// Finds the thresholds of HYB from the row lengths.
#include "generator/hyb_thresholds.h"

#include "generator/source.h"
#include "models/pmf.h"

namespace specmv {

// The k with the fewest bytes: a further column costs every row a slot of v + 4 bytes and spares
// each longer row an entry of v + 8, so it pays while at least that share of rows is longer.
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

std::vector<int64_t> hybThresholds(const PlanRequest &in) {
  const SparsityProfile &p = in.profile;
  if (isFixed(in.fixed, "hyb.k"))
    return {fixedOr(in.fixed, "hyb.k", 0)};
  const PmfInput pmf{p.lengths, p.rows, p.cols, in.problem.type};
  std::vector<int64_t> out = {pmfHybKOnDevice(pmf, in.gpu)};
  const int64_t fewest = kOfFewestBytes(p, in.problem.type);
  if (fewest != out.front())
    out.push_back(fewest);
  return out;
}

} // namespace specmv
