// Chooses a plan: the best predicted one that fits, or the fastest of those that were measured.
// Among predictions that tie, the one whose kernel is ready counts as the best.
// or the fastest of those that were measured.
#include "runtime/choose.h"

#include "runtime/measure/measure.h"
#include "runtime/measure/stopwatch.h"

#include <algorithm>
#include <set>

namespace specmv {

const char *nameOf(ChosenBy by) {
  switch (by) {
  case ChosenBy::prediction:
    return "predicted";
  case ChosenBy::measurement:
    return "measured";
  case ChosenBy::wisdom:
    return "wisdom";
  case ChosenBy::fallback:
    return "fallback";
  }
  return "";
}

llvm::Error noPlan(const std::vector<Offer> &offers) {
  Status status = Status::notApplicable;
  std::string why;
  for (const Offer &offer : offers) {
    why += (why.empty() ? "" : "; ") + (offer.why.empty() ? "no plan" : offer.why);
    if (offer.whyStatus == Status::missing)
      status = Status::missing;
  }
  return failWith(status, why);
}

static bool isLibraryCall(const Plan &plan) { return findFormat(plan.format)->library != nullptr; }

size_t firstAmongTies(llvm::ArrayRef<Candidate> candidates,
                      llvm::function_ref<bool(const Plan &)> isReady) {
  if (candidates.empty() || isLibraryCall(candidates.front().plan))
    return 0;
  const double most = candidates.front().predictedUs * (1 + kTie);
  const auto ties =
      candidates.take_while([&](const Candidate &c) { return c.predictedUs <= most; });
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
  // Of the last of our plans that was tried; if there was none, of the first library call.
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
    if (isOurs && reason.first == Status::missing && fit.noKernels.empty())
      fit.noKernels = reason.second;
    else if (isOurs && reason.first != Status::notApplicable)
      return failWith(reason.first, reason.second);
    fit.whyNot.push_back(reason.second);
    if (isOurs || !failure)
      failure = std::move(reason);
  }
  if (!fit.noKernels.empty())
    return failWith(Status::missing, fit.noKernels);
  return failure ? failWith(failure->first, failure->second)
                 : failWith(Status::notApplicable, "no plan");
}

llvm::Expected<Fit> firstThatPacks(const CsrView &a, const Problem &problem,
                                   llvm::ArrayRef<Candidate> candidates) {
  return firstFit(candidates, [&](const Plan &plan) { return pack(a, plan, problem).takeError(); });
}

// What took the place of the best plan, whose kernel cannot be had, and at what price.
static std::string substituteWarning(const std::string &noKernels, const Candidate &taken,
                                     const Candidate &best) {
  if (isLibraryCall(taken.plan))
    return "no kernel could be compiled, so a library is called instead: " + noKernels;
  return llvm::formatv("the kernel of a better plan cannot be had, so '{0}' is used, which is at "
                       "hand (predicted: {1:f2} us, the best plan {2:f2} us): {3}",
                       taken.plan.text(), taken.predictedUs, best.predictedUs, noKernels);
}

// The candidates in the order of trying: the one at `first` before all others.
static std::vector<Candidate> withFirst(llvm::ArrayRef<Candidate> candidates, size_t first) {
  std::vector<Candidate> out(candidates.begin(), candidates.end());
  const auto at = out.begin() + static_cast<std::ptrdiff_t>(first);
  std::rotate(out.begin(), at, at + 1);
  return out;
}
// Where withFirst() took the candidate from that it put at `index`.
static size_t indexBefore(size_t index, size_t first) {
  return index == 0 ? first : index - (index <= first ? 1 : 0);
}

static llvm::Expected<BuiltChoice> choosePredicted(const SourceMatrix &a, const Request &request,
                                                   const Ranked &ranked, Machine &machine) {
  const Problem &problem = request.problem;
  const auto ready = [&](const Plan &plan) { return isReady(plan, problem, machine); };
  std::optional<Built> built;
  const auto attempt = [&](const Plan &plan) -> llvm::Error {
    if (machine.onlyPacks && !ready(plan)) // before the matrix is packed in vain
      return notInPacks(plan, problem, machine);
    auto made = build(a, plan, problem, machine);
    if (!made)
      return made.takeError();
    built = std::move(*made);
    return llvm::Error::success();
  };
  const std::vector<Candidate> &candidates = ranked.candidates;
  // A total has the time to make a kernel ready in it.
  const size_t first = request.weighsSetup() ? 0 : firstAmongTies(candidates, ready);
  auto fit = firstFit(withFirst(candidates, first), attempt,
                      {.isReady = ready, .libraryCalls = !machine.onlyPacks});
  if (!fit)
    return fit.takeError();
  BuiltChoice out{.choice = {.index = indexBefore(fit->index, first)}, .built = std::move(*built)};
  if (!fit->noKernels.empty()) {
    out.choice.by = ChosenBy::fallback;
    out.warnings.push_back(
        substituteWarning(fit->noKernels, candidates[out.choice.index], candidates.front()));
  }
  out.buildMs = out.built.ms;
  out.buildMs.pack += fit->failedMs; // packing is where a plan that does not fit fails
  llvm::append_range(out.warnings, out.built.warnings);
  return out;
}

// The candidates to measure: all, or the best of each format and the best few over all.
static std::vector<size_t> plansToMeasure(Rigor rigor, llvm::ArrayRef<Candidate> candidates) {
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

static llvm::Expected<double> timeOf(const GpuDevice &gpu, const Enqueue &product, double bestUs) {
  auto effort = effortFor(gpu, product, bestUs);
  if (!effort)
    return effort.takeError();
  return measureWarm(gpu, product, *effort);
}

static llvm::Expected<BuiltChoice> chooseMeasured(const SourceMatrix &a, const Request &request,
                                                  const Ranked &ranked, Machine &machine) {
  if (!machine.gpu)
    return fail(
        Status::missing,
        "plans can only be measured on a GPU, and none is used ({0}); use the rigor 'estimate'",
        machine.whyHost);
  auto vectors =
      DeviceVectors::make(*machine.gpu, a.given().rows, a.given().cols, request.problem.type);
  if (!vectors)
    return vectors.takeError();
  BuiltChoice out{.choice = {.by = ChosenBy::measurement}, .built = {}};
  double &bestUs = out.choice.measuredUs;
  std::string notPacked; // of the best plan that is in no pack
  for (size_t i : plansToMeasure(request.rigor, ranked.candidates)) {
    const Plan &plan = ranked.candidates[i].plan;
    if (machine.onlyPacks && !isReady(plan, request.problem, machine)) {
      if (notPacked.empty())
        notPacked = describe(notInPacks(plan, request.problem, machine)).second;
      continue;
    }
    const Stopwatch watch;
    auto built = build(a, plan, request.problem, machine);
    if (!built) {
      out.buildMs.pack += watch.milliseconds(); // packing is where a plan that does not fit fails
      out.warnings.push_back(plan.text() + ": " + describe(built.takeError()).second);
      continue;
    }
    out.buildMs += built->ms;
    llvm::append_range(out.warnings, built->warnings);
    auto us = timed(out.measureMs, [&] {
      return timeOf(*machine.gpu, enqueue(*built->product, *vectors), bestUs);
    });
    if (!us)
      return us.takeError();
    if (bestUs == 0 || *us < bestUs) {
      bestUs = *us;
      out.choice.index = i;
      out.built = std::move(*built);
    }
  }
  if (bestUs == 0 && !notPacked.empty())
    return failWith(Status::missing, notPacked);
  if (bestUs == 0)
    return fail(Status::notApplicable, "no plan could be built: {0}",
                out.warnings.empty() ? "" : out.warnings.back());
  return out;
}

llvm::Expected<BuiltChoice> choose(const SourceMatrix &a, const Request &request,
                                   const Ranked &ranked, Machine &machine) {
  if (ranked.candidates.empty())
    return noPlan(ranked.offers);
  return request.rigor == Rigor::estimate ? choosePredicted(a, request, ranked, machine)
                                          : chooseMeasured(a, request, ranked, machine);
}

} // namespace specmv
