// Weighs set-ups and orders of rows against an expected number of products.
#pragma once

#include "generator/rank.h"
#include "generator/setup/workspace.h"
#include "models/predict/worth.h"
#include "runtime/machine.h"
#include "runtime/plan/request.h"

#include <functional>
#include <vector>

namespace specmv {

// --- Ordering ------------------------------------------------------------------------------------

// Tells when the rows and columns of a matrix are put into another order for the choice of a plan.

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

// --- Worth ---------------------------------------------------------------------------------------

// Weighs the set-ups of ranked plans against an expected number of products.

// Assumes 32-bit indices, since a profile does not have the caller's index type.
SetupSize sizeOf(const SparsityProfile &profile, ValueType type);

SetupSize sizeOf(const DeviceCsr &a);

// For which candidates rankByTotal() looks up whether their kernels are loaded, in a pack or
// cached, which takes 30 us and more for each.
enum class Look : uint8_t {
  untilDecided, // only for those that could have the least total
  atAll,        // for all
  never,        // for none: every kernel counts as loaded
};

// Prices the candidates' set-ups and orders them by the total of set-up and products; equal totals
// keep their order. A kernel costs what loading it takes now, from this machine's GPU, packs, cache
// or compiler. Each set-up includes the profile, although all plans share it, so that totals can be
// compared with those of CSR in place.
void rankByTotal(std::vector<Candidate> &candidates, const Request &request,
                 const SparsityProfile &profile, const Machine &machine,
                 Look look = Look::untilDecided);

// Returns the set-up of a candidate from the CSR arrays on, including the profile, with all of its
// kernels in this state. Uses only the stored bytes of the candidate's traffic.
PredictedSetup wholeSetup(const Candidate &candidate, const SetupSize &size, KernelState kernels,
                          const GpuModel &gpu);

// Returns the time of a set-up of this candidate after the set-up of another plan, when profile and
// upload are done: its packing, and its kernels in their present state. Not for Look::untilDecided.
PredictedSetup furtherSetup(const Candidate &candidate, const SetupSize &size,
                            const Request &request, const Machine &machine, Look look);

// Returns true if only the host can pack for the candidate. Such a plan looks cheap if no packing
// kernel is available, but then the host could pack for any other plan too. So it comes after all
// others when plans are ranked, whatever its total is. If such a plan was chosen earlier, for
// example by measuring, its total decides whether it is chosen again.
bool isAlwaysPackedOnHost(const Candidate &candidate);

// Returns how far the total of a plan is above the least total of the candidates, if every kernel
// were loaded.
double lostWithAllKernelsUs(const std::vector<Candidate> &candidates, const Worth &own,
                            int64_t products);
// Returns the worth of a candidate under the same assumption, with its caution.
inline Worth withAllKernels(const Candidate &candidate) {
  return {.productUs = candidate.cautiousUs(), .setupUs = candidate.setup.workUs};
}

// Returns the least number of products that can pay for a profile on this machine, compared with a
// loaded kernel for CSR in place.
int64_t leastProductsToProfile(const SetupSize &size, const Machine &machine);

// Returns the worth of a candidate to show. The order of candidates adds their caution.
inline Worth worthOf(const Candidate &candidate) {
  return {.productUs = candidate.comparedUs, .setupUs = candidate.setup.totalUs()};
}

} // namespace specmv
