// Decides which of the ranked plans are tried, and in which order. Among predictions that tie, the
// one whose kernel is ready counts as the best.
#include "runtime/choose/choose.h"

#include "generator/trial.h"
#include "runtime/kernels/at_hand.h"
#include "runtime/measure/measure.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>
#include <set>

namespace specmv {

std::vector<std::string> reasonsOf(llvm::ArrayRef<Offer> offers) {
  struct Reason {
    llvm::StringRef withoutName;
    std::string text, likewise;
  };
  std::vector<Reason> reasons;
  for (const Offer &offer : offers) {
    if (!offer.plans.empty())
      continue;
    llvm::StringRef why = offer.why;
    why.consume_front(offer.format->name);
    const auto known = llvm::find_if(reasons, [&](auto &each) { return each.withoutName == why; });
    if (known == reasons.end())
      reasons.push_back({why, offer.why, ""});
    else
      known->likewise += std::string(known->likewise.empty() ? "" : ", ") + offer.format->name;
  }
  std::vector<std::string> texts;
  texts.reserve(reasons.size());
  for (const Reason &each : reasons)
    texts.push_back(each.text + (each.likewise.empty() ? "" : " (likewise " + each.likewise + ")"));
  return texts;
}

llvm::Error noPlan(const std::vector<Offer> &offers) {
  Status status = Status::notApplicable;
  for (const Offer &offer : offers)
    if (isMissing(offer.whyStatus) && !isMissing(status))
      status = offer.whyStatus;
  const std::string why = llvm::join(reasonsOf(offers), "; ");
  return failWith(status, why.empty() ? "no plan" : why);
}

size_t firstAmongTies(llvm::ArrayRef<Candidate> candidates,
                      llvm::function_ref<bool(const Plan &)> isReady) {
  if (candidates.empty() || isLibraryCall(candidates.front().plan))
    return 0;
  const auto tied =
      candidates.take_while([&](const Candidate &c) { return ties(c, candidates.front()); });
  for (size_t i = 0; tied.size() > 1 && i < tied.size(); ++i)
    if (!isLibraryCall(tied[i].plan) && isReady(tied[i].plan))
      return i;
  return 0;
}

// Maps an index in the order of trying, in which the one at `first` comes before all others, back
// to the original index.
static size_t indexBefore(size_t index, size_t first) {
  return index == 0 ? first : index - (index <= first ? 1 : 0);
}

size_t firstWithoutWait(llvm::ArrayRef<Candidate> candidates,
                        llvm::function_ref<bool(const Plan &)> isReady) {
  if (candidates.empty())
    return 0;
  const double most = candidates.front().cautiousUs() * kWorthNoWait;
  for (size_t i = 0; i < candidates.size() && candidates[i].cautiousUs() <= most; ++i)
    if ((i == 0 || !isLibraryCall(candidates[i].plan)) && isReady(candidates[i].plan))
      return i;
  return 0;
}

std::vector<size_t> plansToMeasure(Rigor rigor, llvm::ArrayRef<Candidate> candidates) {
  constexpr size_t kBestOverAll = 4;
  std::vector<size_t> out;
  std::set<std::string> seen;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const bool first = seen.insert(candidates[i].plan.format).second;
    if (rigor == Rigor::exhaustive || first || i < kBestOverAll)
      out.push_back(i);
  }
  return out;
}

std::vector<size_t> withReadyOnes(std::vector<size_t> measured,
                                  llvm::ArrayRef<Candidate> candidates,
                                  llvm::function_ref<bool(const Plan &)> isReady) {
  std::set<std::string> seen;
  for (const size_t index : measured)
    if (isReady(candidates[index].plan))
      seen.insert(candidates[index].plan.format);
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Plan &plan = candidates[i].plan;
    if (!seen.contains(plan.format) && !llvm::is_contained(measured, i) && isReady(plan)) {
      seen.insert(plan.format);
      measured.push_back(i);
    }
  }
  return measured;
}

size_t firstToBuild(const Request &request, llvm::ArrayRef<Candidate> candidates,
                    IndexType csrIndex, const Machine &machine) {
  if (request.weighsSetup())
    return 0;
  if (machine.gpu && machine.kernels == KernelKind::atHand && !machine.onlyPacks)
    return firstWithoutWait(candidates, [&](const Plan &plan) {
      return isWhollyReady(plan, request.problem, csrIndex, machine);
    });
  return firstAmongTies(candidates,
                        [&](const Plan &plan) { return isReady(plan, request.problem, machine); });
}

static Foreseen foreseenOf(const Candidate &candidate) {
  return {candidate.plan.format, candidate.cautiousUs()};
}

// Returns the cost of trying a candidate: its timing, and its set-up unless it is the first.
// Looking for kernels needs the disk, so that is only done if the trial pays without it.
static double trialUs(const Candidate &candidate, const Candidate &first, const SetupSize &size,
                      const Request &request, const Machine &machine) {
  if (machine.onlyPacks && !isReady(candidate.plan, request.problem, machine))
    return std::numeric_limits<double>::infinity();
  const double timing = comparingUs(candidate.predictedUs, kToTry);
  if (&candidate == &first || request.expectedProducts == 0)
    return timing;
  const auto withSetup = [&](Look look) {
    return timing + furtherSetup(candidate, size, request, machine, look).totalUs();
  };
  const double least = withSetup(Look::never);
  return least < possibleGainUs(foreseenOf(first), foreseenOf(candidate), request.expectedProducts)
             ? withSetup(Look::atAll)
             : least;
}

std::vector<size_t> plansOfTrial(const SetupSize &size, const Request &request,
                                 llvm::ArrayRef<Candidate> candidates, size_t first,
                                 const Machine &machine) {
  std::vector<Foreseen> foreseen;
  foreseen.reserve(candidates.size());
  for (size_t i = 0; i < candidates.size(); ++i)
    foreseen.push_back(foreseenOf(candidates[indexBefore(i, first)]));
  std::vector<size_t> out = plansToTry(foreseen, request.expectedProducts, [&](size_t i) {
    return trialUs(candidates[indexBefore(i, first)], candidates[first], size, request, machine);
  });
  for (size_t &index : out)
    index = indexBefore(index, first);
  return out;
}

} // namespace specmv
