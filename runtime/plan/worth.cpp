// Looks up which kernels are available, and orders plans by their totals.
#include "runtime/plan/worth.h"

#include "generator/coding/encode.h"
#include "generator/order/order.h"
#include "generator/setup/packing.h"
#include "generator/setup/profile.h"
#include "generator/shared/gathers.h"
#include "models/predict/worth.h"
#include "runtime/cusparse/cusparse.h"
#include "runtime/kernels/at_hand.h"
#include "runtime/plan/sources.h"

#include <algorithm>
#include <limits>
#include <map>

namespace specmv {

// --- Ordering ------------------------------------------------------------------------------------

// Weighs what another order of rows and columns could give against the time to find it.

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

// --- Worth ---------------------------------------------------------------------------------------

// Looks up which kernels are available, and orders plans by their totals.

SetupSize sizeOf(const SparsityProfile &profile, ValueType type) {
  return {.rows = profile.rows,
          .cols = profile.cols,
          .nnz = profile.nnz,
          .valueBytes = static_cast<int64_t>(sizeOf(type))};
}

SetupSize sizeOf(const DeviceCsr &a) {
  return {.rows = a.rows,
          .cols = a.cols,
          .nnz = a.nnz,
          .valueBytes = static_cast<int64_t>(sizeOf(a.valueType)),
          .indexBytes = static_cast<int64_t>(sizeOf(a.indexType))};
}

namespace {
// Finds the states of kernels. Each is looked up once: many plans share the packing kernels, and a
// lookup in the cache takes 30 us or more.
class Kernels {
public:
  explicit Kernels(const Machine &machine) : machine_(machine) {}

  // With onlyPacks nothing is compiled, so no compilation counts. If a kernel is missing, another
  // plan replaces that one, and a message says so.
  KernelState operator[](const KernelSource &source) {
    const auto [at, isNew] = known_.try_emplace(source.text, KernelState::loaded);
    if (isNew)
      at->second = specmv::stateOf(source, machine_);
    if (machine_.onlyPacks && at->second == KernelState::missing)
      at->second = KernelState::ready;
    return at->second;
  }

  // Looks for the kernels that the first products of the plan would use.
  KernelState stateOf(const Plan &plan, const Problem &problem) {
    return (*this)[*sourceOfKernels(plan, problem, machine_)];
  }

private:
  const Machine &machine_;
  std::map<std::string, KernelState> known_;
};
} // namespace

// Returns the size of the plain values that are packed first if their coding is made of them.
static int64_t bytesToEncode(const Candidate &candidate, ValueType type) {
  return codingOf(candidate.plan).codes
             ? candidate.traffic.slots * static_cast<int64_t>(sizeOf(type))
             : 0;
}

// Returns the work of a set-up, assuming that every kernel is loaded. `entryBytes` is the size of
// col and val if they are lent.
static SetupWork workOf(const Candidate &candidate, int64_t entryBytes, const Problem &problem) {
  const Format &format = *findFormat(candidate.plan.format);
  const bool lends = entryBytes > 0 && (format.packing ? format.packing->lendsEntries
                                                       : format.library && format.inPlace);
  return {.format = candidate.plan.format,
          .storedBytes = candidate.traffic.storedBytes + bytesToEncode(candidate, problem.type),
          .lentBytes = lends ? entryBytes : 0,
          .isPackedHere = format.packing || lends,
          .opensLibrary = format.library && !cusparseIsOpen()};
}

static SetupWork workOf(const Candidate &candidate, int64_t entryBytes, const Problem &problem,
                        Kernels &kernels) {
  const Plan &plan = candidate.plan;
  const Format &format = *findFormat(plan.format);
  SetupWork work = workOf(candidate, entryBytes, problem);
  work.product = kernels.stateOf(plan, problem);
  if (!format.packing)
    return work;
  work.packing = kernels[format.packing->source(plan, problem, IndexType::i32)];
  for (const KernelSource *source : codingSources(plan, problem.type, IndexType::i32))
    work.packing = std::max(work.packing, kernels[*source]);
  return work;
}

int64_t leastProductsToProfile(const SetupSize &size, const Machine &machine) {
  return leastProductsToProfile(size, KernelState::loaded,
                                stateOf(profileSource(IndexType::i32), machine), machine.model);
}

// Returns the part of a set-up's time that is the same for all plans.
static PredictedSetup commonTime(const SetupSize &size, KernelState profile, const GpuModel &gpu) {
  PredictedSetup time = setupHostTime(gpu);
  time += profileTime(size, profile, gpu);
  return time;
}

PredictedSetup wholeSetup(const Candidate &candidate, const SetupSize &size, KernelState kernels,
                          const GpuModel &gpu) {
  const Format &format = *findFormat(candidate.plan.format);
  const bool isLoaded = kernels == KernelState::loaded;
  PredictedSetup time = commonTime(size, kernels, gpu);
  if (!candidate.plan.order.empty())
    time.workUs += orderingUs(size, gpu);
  time += packTime({.format = candidate.plan.format,
                    .storedBytes = candidate.traffic.storedBytes,
                    .isPackedHere = format.packing != nullptr,
                    .opensLibrary = format.library && !isLoaded,
                    .product = format.library ? KernelState::loaded : kernels,
                    .packing = format.packing ? kernels : KernelState::loaded},
                   size, gpu);
  return time;
}

bool isAlwaysPackedOnHost(const Candidate &candidate) {
  const Format &format = *findFormat(candidate.plan.format);
  return !format.packing && !format.library;
}

// Returns the total to order by. It adds the same caution that orders plans without set-ups.
static double cautiousTotalUs(const Candidate &c, int64_t products) {
  const Worth worth{.productUs = c.cautiousUs(), .setupUs = c.setup.totalUs()};
  return worth.totalUs(products);
}

static void sortByTotal(std::vector<Candidate> &candidates, int64_t products) {
  sortBy(candidates, [&](const Candidate &c) {
    return std::pair(isAlwaysPackedOnHost(c), cautiousTotalUs(c, products));
  });
}

double lostWithAllKernelsUs(const std::vector<Candidate> &candidates, const Worth &own,
                            int64_t products) {
  const double total = own.totalUs(products);
  double least = total;
  for (const Candidate &other : candidates)
    if (!isAlwaysPackedOnHost(other))
      least = std::min(least, withAllKernels(other).totalUs(products));
  return total - least;
}

// Returns the size of col and val if they are lent, otherwise 0.
static int64_t lentBytes(const SetupSize &size, const Request &request) {
  return request.csrIsLent ? size.nnz * (size.valueBytes + size.indexBytes) : 0;
}

PredictedSetup furtherSetup(const Candidate &candidate, const SetupSize &size,
                            const Request &request, const Machine &machine, Look look) {
  const int64_t lent = lentBytes(size, request);
  Kernels kernels(machine);
  const SetupWork work = look == Look::never ? workOf(candidate, lent, request.problem)
                                             : workOf(candidate, lent, request.problem, kernels);
  return packTime(work, size, machine.model);
}

void rankByTotal(std::vector<Candidate> &candidates, const Request &request,
                 const SparsityProfile &profile, const Machine &machine, Look look) {
  const SetupSize size = sizeOf(profile, request.problem.type);
  const PredictedSetup common =
      commonTime(size, stateOf(profileSource(IndexType::i32), machine), machine.model);
  const int64_t lent = lentBytes(size, request);
  const auto price = [&](Candidate &candidate, const SetupWork &work) {
    candidate.setup = common;
    candidate.setup += packTime(work, size, machine.model);
    return cautiousTotalUs(candidate, request.expectedProducts);
  };
  for (Candidate &candidate : candidates)
    price(candidate, workOf(candidate, lent, request.problem));
  sortByTotal(candidates, request.expectedProducts);
  if (look == Look::never)
    return;
  Kernels kernels(machine);
  double least = std::numeric_limits<double>::infinity();
  for (Candidate &candidate : candidates) {
    // Kernels can only add to this total, and the following candidates start higher.
    if (look == Look::untilDecided && cautiousTotalUs(candidate, request.expectedProducts) >= least)
      break;
    least = std::min(least, price(candidate, workOf(candidate, lent, request.problem, kernels)));
  }
  sortByTotal(candidates, request.expectedProducts);
}

} // namespace specmv
