// Weighs what another order of rows and columns could give against the time to find it.
#include "runtime/plan/ordering.h"

#include "generator/order/order.h"
#include "generator/shared/gathers.h"
#include "models/predict/worth.h"
#include "runtime/plan/proposal.h"
#include "runtime/plan/worth.h"

#include <algorithm>

namespace specmv {

bool mayPayToOrder(llvm::ArrayRef<Candidate> candidates, const PlanRequest &asked,
                   const Request &request) {
  const SparsityProfile &p = asked.profile;
  if (candidates.empty() || !request.choosesOrder() ||
      llvm::errorToBool(checkOrdered({p.rows, p.cols, p.nnz}, longestRow(p))))
    return false;
  const Candidate &best = candidates.front();
  // In another order, another plan can be the best.
  double leastUs = leastOrderedUs(best, asked);
  for (const Candidate &each : candidates.drop_front())
    if (!isLibraryCall(each.plan))
      leastUs = std::min(leastUs, leastOrderedUs(each, asked));
  return leastUs < kWorthOrdering * best.cautiousUs() &&
         (!request.weighsSetup() ||
          static_cast<double>(request.expectedProducts) * (best.comparedUs - leastUs) >
              orderingUs(sizeOf(p, asked.problem.type), asked.gpu));
}

llvm::Expected<const SparsityProfile *>
profileFor(const Request &request, const SparsityProfile &profile, const ProfileInOrder &inOrder) {
  if (request.orderOfAll().empty())
    return &profile;
  auto made = inOrder ? inOrder() : nullptr;
  if (made && !*made)
    return fail(Status::notApplicable,
                "order={0} needs the matrix, of which only the profile is "
                "known",
                request.orderOfAll());
  return made;
}

} // namespace specmv
