// Ranks the plans of a profile and emits the sources of the best ones.
#include "runtime/pregen/wanted.h"

#include "runtime/choose.h"

namespace specmv {

llvm::Expected<std::vector<Wanted>> wantedKernels(const Request &request,
                                                  const SparsityProfile &profile,
                                                  const Machine &machine,
                                                  llvm::ArrayRef<std::string> architectures) {
  auto ranked = rankPlans(request, profile, machine);
  if (!ranked)
    return ranked.takeError();
  if (ranked->candidates.empty())
    return noPlan(ranked->offers);
  std::vector<Wanted> out;
  size_t plans = 0;
  for (const Candidate &candidate : ranked->candidates) {
    const Plan &plan = candidate.plan;
    const KernelSource source = findFormat(plan.format)->source(plan, request.problem);
    if (source.text.empty())
      continue;
    for (const std::string &arch : architectures)
      out.push_back({source, arch, plan.format, problemText(request.problem) + " " + plan.text()});
    if (++plans == kPlansPerMatrix)
      break;
  }
  return out;
}

} // namespace specmv
