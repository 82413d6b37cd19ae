// Picks the plans that a sweep times.
#include "runtime/lab/evaluate/plans_to_time.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace specmv {

PlansToTime::PlansToTime(llvm::ArrayRef<Candidate> candidates, size_t mostOfAFormat) {
  std::map<std::string, size_t> count;
  for (const Candidate &candidate : candidates)
    (mostOfAFormat == 0 || count[candidate.plan.format]++ < mostOfAFormat ? taken_ : others_)
        .push_back(candidate.plan);
}

void PlansToTime::addOneMore(const std::string &format) {
  const auto next = llvm::find_if(others_, [&](const Plan &plan) { return plan.format == format; });
  if (next == others_.end())
    return;
  taken_.push_back(std::move(*next));
  others_.erase(next);
}

} // namespace specmv
