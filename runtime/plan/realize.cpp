// Builds one proposal after another, until one fits, or until the fastest is known.
#include "runtime/plan/realize.h"

#include "runtime/choose/choose.h"
#include "runtime/measure/stopwatch.h"
#include "llvm/ADT/STLExtras.h"

namespace specmv {

llvm::Expected<Fit> firstFit(llvm::ArrayRef<Proposal> proposals,
                             llvm::function_ref<llvm::Error(const Proposal &)> attempt,
                             const Substitutes &substitutes) {
  const auto mayReplace = [&](const Plan &plan, bool isOurs) {
    return isOurs ? substitutes.isReady && substitutes.isReady(plan) : substitutes.libraryCalls;
  };
  Fit fit;
  Status lacking = Status::missing; // of fit.noKernels
  // The failure of our last plan that was tried; if none was tried, of the first library call.
  std::optional<std::pair<Status, std::string>> failure;
  for (; fit.index < proposals.size(); ++fit.index) {
    const Proposal &proposal = proposals[fit.index];
    const bool isOurs = !isLibraryCall(proposal.plan);
    if (!fit.noKernels.empty() && !mayReplace(proposal.plan, isOurs)) {
      fit.whyNot.push_back(fit.noKernels);
      continue;
    }
    const Stopwatch watch;
    llvm::Error error = attempt(proposal);
    if (!error)
      return fit;
    fit.failedMs += watch.milliseconds();
    auto reason = describe(std::move(error));
    const bool lacksKernel = isMissing(reason.first) && reason.first != Status::hostMemory;
    if (isOurs && lacksKernel && fit.noKernels.empty()) {
      fit.noKernels = reason.second;
      lacking = reason.first;
    } else if (isOurs && !isLeftToOthers(reason.first))
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
                                   llvm::ArrayRef<Candidate> candidates, Layout *packed) {
  return firstFit(proposalsOf(candidates), [&](const Proposal &proposal) {
    auto layout = pack(a, proposal.plan, problem);
    if (layout && packed)
      *packed = std::move(*layout);
    return layout.takeError();
  });
}

// Says what replaces the best plan, whose kernel is not available, and how much slower that is.
static std::string substituteWarning(const std::string &noKernels, const Proposal &taken,
                                     const Proposal &best) {
  if (isLibraryCall(taken.plan))
    return "no kernel could be compiled, so a library is called instead: " + noKernels;
  return llvm::formatv("no compiled kernel for the best plan; using '{0}' (predicted: {1:f2} us, "
                       "the best plan {2:f2} us): {3}",
                       taken.plan.text(), taken.predictedUs, best.predictedUs, noKernels);
}

static Substitutes substitutesIn(const Session &session) {
  return {
      .isReady =
          [&](const Plan &plan) { return isReady(plan, session.request.problem, session.machine); },
      .libraryCalls = !session.machine.onlyPacks};
}

// Returns the proposal with the best prediction. It is not the first one if another was put first
// because its kernel is at hand.
static const Proposal &bestOf(const std::vector<Proposal> &proposals) {
  return *llvm::min_element(proposals, [](const Proposal &a, const Proposal &b) {
    return a.choice.index < b.choice.index;
  });
}

static llvm::Expected<BuiltChoice> firstOf(Session &session,
                                           const std::vector<Proposal> &proposals) {
  BuiltChoice out{.choice = {}, .built = {}};
  auto fit = firstFit(
      proposals,
      [&](const Proposal &proposal) { return build(session, proposal).moveInto(out.built); },
      substitutesIn(session));
  if (!fit)
    return fit.takeError();
  const Proposal &taken = proposals[fit->index];
  out.choice = taken.choice;
  out.predictedUs = taken.predictedUs;
  if (!fit->noKernels.empty()) {
    const Proposal &best = bestOf(proposals);
    out.choice.by = ChosenBy::fallback;
    if (session.machine.onlyPacks) // otherwise it would be compiled for later
      out.choice.better = {best.plan.text(), best.predictedUs};
    out.warnings.push_back(substituteWarning(fit->noKernels, taken, best));
  }
  out.buildMs = out.built.ms;
  out.buildMs.pack += fit->failedMs; // a plan that does not fit fails when packing
  llvm::append_range(out.warnings, out.built.warnings);
  return out;
}

llvm::Expected<std::optional<BuiltChoice>> realize(Session &session, const Proposals &from) {
  if (from.plans.empty())
    return std::nullopt;
  auto made = from.contest ? fastestOf(session, from) : firstOf(session, from.plans);
  if (made) {
    session.times.build += made->buildMs;
    session.times.measure += made->measureMs;
    llvm::append_range(session.warnings, made->warnings);
    return std::move(*made);
  }
  auto [status, sentence] = describe(made.takeError());
  if (from.isLast || !isLeftToOthers(status))
    return failWith(status, sentence);
  if (from.contest)
    session.warnings.push_back("no plan was tried: " + sentence);
  if (from.plans.front().choice.by == ChosenBy::structure)
    session.whyNotFollowed = sentence;
  return std::nullopt;
}

} // namespace specmv
