// Chooses a plan: the best predicted one that fits, or the fastest of those that were measured.
// Among predictions that tie, the one whose kernel is ready counts as the best.
#include "runtime/choose/choose.h"

#include "generator/trial.h"
#include "runtime/choose/choose_measured.h"
#include "runtime/measure/stopwatch.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <limits>

namespace specmv {

const char *nameOf(ChosenBy by) {
  switch (by) {
  case ChosenBy::prediction:
    return "predicted";
  case ChosenBy::measurement:
    return "measured";
  case ChosenBy::trial:
    return "tried";
  case ChosenBy::wisdom:
    return "wisdom";
  case ChosenBy::fallback:
    return "fallback";
  }
  return "";
}

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

static bool isLibraryCall(const Plan &plan) { return findFormat(plan.format)->library != nullptr; }

size_t firstAmongTies(llvm::ArrayRef<Candidate> candidates,
                      llvm::function_ref<bool(const Plan &)> isReady) {
  if (candidates.empty() || isLibraryCall(candidates.front().plan))
    return 0;
  const double most = candidates.front().cautiousUs() * (1 + kTie);
  const auto ties =
      candidates.take_while([&](const Candidate &c) { return c.cautiousUs() <= most; });
  for (size_t i = 0; ties.size() > 1 && i < ties.size(); ++i)
    if (!isLibraryCall(ties[i].plan) && isReady(ties[i].plan))
      return i;
  return 0;
}

llvm::Expected<Fit> firstFit(llvm::ArrayRef<Candidate> candidates,
                             llvm::function_ref<llvm::Error(const Plan &)> attempt,
                             const Substitutes &substitutes) {
  const auto mayReplace = [&](const Plan &plan, bool isOurs) {
    return isOurs ? substitutes.isReady && substitutes.isReady(plan) : substitutes.libraryCalls;
  };
  Fit fit;
  Status lacking = Status::missing; // of fit.noKernels
  // The failure of our last plan that was tried; if none was tried, of the first library call.
  std::optional<std::pair<Status, std::string>> failure;
  for (; fit.index < candidates.size(); ++fit.index) {
    const Plan &plan = candidates[fit.index].plan;
    const bool isOurs = !isLibraryCall(plan);
    if (!fit.noKernels.empty() && !mayReplace(plan, isOurs)) {
      fit.whyNot.push_back(fit.noKernels);
      continue;
    }
    const Stopwatch watch;
    llvm::Error error = attempt(plan);
    if (!error)
      return fit;
    fit.failedMs += watch.milliseconds();
    auto reason = describe(std::move(error));
    if (isOurs && isMissing(reason.first) && fit.noKernels.empty()) {
      fit.noKernels = reason.second;
      lacking = reason.first;
    } else if (isOurs && reason.first != Status::notApplicable)
      return failWith(reason.first, reason.second);
    fit.whyNot.push_back(reason.second);
    if (isOurs || !failure)
      failure = std::move(reason);
  }
  if (!fit.noKernels.empty())
    return failWith(lacking, fit.noKernels);
  return failure ? failWith(failure->first, failure->second)
                 : failWith(Status::notApplicable, "no plan");
}

llvm::Expected<Fit> firstThatPacks(const CsrView &a, const Problem &problem,
                                   llvm::ArrayRef<Candidate> candidates) {
  return firstFit(candidates, [&](const Plan &plan) { return pack(a, plan, problem).takeError(); });
}

// Says what replaces the best plan, whose kernel is not available, and how much slower that is.
static std::string substituteWarning(const std::string &noKernels, const Candidate &taken,
                                     const Candidate &best) {
  if (isLibraryCall(taken.plan))
    return "no kernel could be compiled, so a library is called instead: " + noKernels;
  return llvm::formatv("no compiled kernel for the best plan; using '{0}' (predicted: {1:f2} us, "
                       "the best plan {2:f2} us): {3}",
                       taken.plan.text(), taken.predictedUs, best.predictedUs, noKernels);
}

// Returns the candidates in the order of trying: the one at `first` before all others.
static std::vector<Candidate> withFirst(llvm::ArrayRef<Candidate> candidates, size_t first) {
  std::vector<Candidate> out(candidates.begin(), candidates.end());
  const auto at = out.begin() + static_cast<std::ptrdiff_t>(first);
  std::rotate(out.begin(), at, at + 1);
  return out;
}
// Maps an index after withFirst() back to the original index.
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

static llvm::Expected<BuiltChoice> choosePredicted(const SourceMatrix &a, const Request &request,
                                                   const Ranked &ranked, Machine &machine) {
  const Problem &problem = request.problem;
  const auto ready = [&](const Plan &plan) { return isReady(plan, problem, machine); };
  std::optional<Built> built;
  const auto attempt = [&](const Plan &plan) -> llvm::Error {
    if (machine.onlyPacks && !machine.isFallback && !ready(plan)) // avoids packing in vain
      return notInPacks(plan, problem, machine);
    auto made = build(a, plan, problem, machine);
    if (!made)
      return made.takeError();
    built = std::move(*made);
    return llvm::Error::success();
  };
  const std::vector<Candidate> &candidates = ranked.candidates;
  const size_t first = firstToBuild(request, candidates, a.given().indexType, machine);
  auto fit = firstFit(withFirst(candidates, first), attempt,
                      {.isReady = ready, .libraryCalls = !machine.onlyPacks});
  if (!fit)
    return fit.takeError();
  BuiltChoice out{.choice = {.index = indexBefore(fit->index, first)}, .built = std::move(*built)};
  if (first > 0 && fit->index == 0)
    out.choice.better = {candidates.front().plan.text(), candidates.front().predictedUs};
  if (!fit->noKernels.empty()) {
    out.choice.by = ChosenBy::fallback;
    out.warnings.push_back(
        substituteWarning(fit->noKernels, candidates[out.choice.index], candidates.front()));
  }
  out.buildMs = out.built.ms;
  out.buildMs.pack += fit->failedMs; // a plan that does not fit fails when packing
  llvm::append_range(out.warnings, out.built.warnings);
  return out;
}

static Foreseen foreseenOf(const Candidate &candidate) {
  return {candidate.plan.format, candidate.cautiousUs()};
}

// Returns the cost of trying a candidate: its timing, and its set-up unless it is the first.
// Looking for kernels needs the disk, so that is only done if the trial pays without it.
static double trialUs(const Candidate &candidate, const Candidate &first, const SourceMatrix &a,
                      const Request &request, const Machine &machine) {
  if (machine.onlyPacks && !isReady(candidate.plan, request.problem, machine))
    return std::numeric_limits<double>::infinity();
  const double timing = comparingUs(candidate.predictedUs, kToTry);
  if (&candidate == &first || request.expectedProducts == 0)
    return timing;
  const auto withSetup = [&](Look look) {
    return timing + furtherSetup(candidate, sizeOf(a.given()), request, machine, look).totalUs();
  };
  const double least = withSetup(Look::never);
  return least < possibleGainUs(foreseenOf(first), foreseenOf(candidate), request.expectedProducts)
             ? withSetup(Look::atAll)
             : least;
}

// Returns the indices of the candidates to try.
static std::vector<size_t> plansOfTrial(const SourceMatrix &a, const Request &request,
                                        llvm::ArrayRef<Candidate> candidates, size_t first,
                                        const Machine &machine) {
  std::vector<Foreseen> foreseen;
  foreseen.reserve(candidates.size());
  for (size_t i = 0; i < candidates.size(); ++i)
    foreseen.push_back(foreseenOf(candidates[indexBefore(i, first)]));
  std::vector<size_t> out = plansToTry(foreseen, request.expectedProducts, [&](size_t i) {
    return trialUs(candidates[indexBefore(i, first)], candidates[first], a, request, machine);
  });
  for (size_t &index : out)
    index = indexBefore(index, first);
  return out;
}

// Chooses the best prediction if nothing can be run, or if no other plan is worth a trial.
static llvm::Expected<BuiltChoice> chooseByTrial(const SourceMatrix &a, const Request &request,
                                                 const Ranked &ranked, Machine &machine) {
  const std::vector<Candidate> &candidates = ranked.candidates;
  std::vector<size_t> tried;
  if (machine.gpu)
    tried = plansOfTrial(a, request, candidates,
                         firstToBuild(request, candidates, a.given().indexType, machine), machine);
  if (tried.size() < 2)
    return choosePredicted(a, request, ranked, machine);
  auto chosen = chooseMeasured(a, request.problem, candidates, tried, kToTry, machine);
  if (chosen) {
    chosen->choice.by = ChosenBy::trial;
    return chosen;
  }
  auto [status, sentence] = describe(chosen.takeError());
  if (!isMissing(status) && status != Status::notApplicable)
    return failWith(status, sentence);
  auto predicted = choosePredicted(a, request, ranked, machine);
  if (predicted)
    predicted->warnings.push_back("no plan was tried: " + sentence);
  return predicted;
}

llvm::Expected<BuiltChoice> choose(const SourceMatrix &a, const Request &request,
                                   const Ranked &ranked, Machine &machine) {
  const std::vector<Candidate> &candidates = ranked.candidates;
  if (candidates.empty())
    return noPlan(ranked.offers);
  switch (request.rigor) {
  case Rigor::estimate:
    return choosePredicted(a, request, ranked, machine);
  case Rigor::trial:
    return chooseByTrial(a, request, ranked, machine);
  case Rigor::measure:
  case Rigor::exhaustive:
    break;
  }
  return chooseMeasured(a, request.problem, candidates, plansToMeasure(request.rigor, candidates),
                        kToMeasure, machine);
}

} // namespace specmv
