// Tells when the rows and columns of a matrix are put into another order for the choice of a plan.
#pragma once

#include "generator/rank.h"
#include "runtime/plan/request.h"

#include <functional>

namespace specmv {

// Returns the profile of the permuted matrix; null if nobody can make it, or it cannot help.
using ProfileInOrder = std::function<llvm::Expected<const SparsityProfile *>()>;

// Returns true if one of these plans, of which the first is the best, could gain more over the best
// by another order of rows and columns than it takes to find that order.
bool mayPayToOrder(llvm::ArrayRef<Candidate> candidates, const PlanRequest &asked,
                   const Request &request);

// Returns the profile of the matrix as all plans of the request have it. Status::notApplicable if
// they have an order, and nobody can make it.
llvm::Expected<const SparsityProfile *>
profileFor(const Request &request, const SparsityProfile &profile, const ProfileInOrder &inOrder);

} // namespace specmv
