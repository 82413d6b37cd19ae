// Finds the thresholds of HYB from the row lengths.
#include "generator/shared/hyb_thresholds.h"

#include "generator/emit.h"
#include "generator/shared/kept.h"
#include "models/predict/pmf/pmf.h"
#include "models/predict/strips/strips.h"
#include "llvm/ADT/STLExtras.h"

namespace specmv {

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

} // namespace specmv
