// Chooses a plan: what the wisdom remembers where it is good enough and fits, else the best
// prediction that fits, or the fastest of those that were measured.
#include "runtime/choose.h"

#include "runtime/measure/measure.h"
#include "runtime/measure/stopwatch.h"

#include <algorithm>
#include <set>

namespace specmv {

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

static bool isFree(const Request &request) {
  return request.formats.empty() && request.fixed.empty();
}

static CacheKey keyOf(const Request &request, const Machine &machine, const Specialized &s) {
  const std::string problem = std::string(nameOf(request.problem.type)) +
                              (request.problem.betaCanBeNonZero ? " beta" : " beta=0");
  // A prediction belongs to the version and the rates that made it: others do not take it over.
  const std::string gpu = llvm::formatv("{0} {1} specmv {2} model {3}", machine.model.name,
                                        machine.arch, SPECMV_VERSION, digestOf(machine.model));
  return wisdomKey(s.signature, gpu, problem);
}

std::optional<Plan> planToFollow(const Wisdom &known, Rigor rigor) {
  if (rigor != Rigor::estimate && known.chosen != Chosen::measured)
    return std::nullopt;
  auto plan = parsePlan(known.plan);
  const Format *format = plan ? findFormat(plan->format) : nullptr;
  return format && whyNotByItself(*format).empty() ? std::move(plan) : std::nullopt;
}

bool reuse(const CsrView &a, const Request &request, Machine &machine, Specialized &s) {
  // An exhaustive search is asked for to look at everything again.
  if (!isFree(request) || request.rigor == Rigor::exhaustive)
    return false;
  const auto known = recall(machine.cache, keyOf(request, machine, s));
  const auto plan = known ? planToFollow(*known, request.rigor) : std::nullopt;
  if (!plan)
    return false;
  auto built = build(a, *plan, request.problem, machine, s.setup, s.warnings);
  if (!built) {
    llvm::consumeError(built.takeError());
    return false;
  }
  s.built = std::move(*built);
  s.candidates = {{*plan, {}, known->predictedUs, known->measuredUs.value_or(0)}};
  s.chosenBy = "wisdom";
  return true;
}

// The candidates to measure: all, or the best of each format and the best few over all.
static std::vector<size_t> plansToMeasure(const Request &request, const Specialized &s) {
  constexpr size_t kBestOverAll = 4;
  std::vector<size_t> out;
  std::set<std::string> seen;
  for (size_t i = 0; i < s.candidates.size(); ++i) {
    const bool first = seen.insert(s.candidates[i].plan.format).second;
    if (request.rigor == Rigor::exhaustive || first || i < kBestOverAll)
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

static llvm::Error chooseMeasured(const CsrView &a, const Request &request, Machine &machine,
                                  Specialized &s) {
  if (!machine.gpu)
    return fail(Status::missing, "plans cannot be measured without a GPU: {0}", machine.whyHost);
  auto vectors = DeviceVectors::make(*machine.gpu, a.rows, a.cols, request.problem.type);
  if (!vectors)
    return vectors.takeError();
  double bestUs = 0;
  for (size_t i : plansToMeasure(request, s)) {
    Candidate &candidate = s.candidates[i];
    auto built = build(a, candidate.plan, request.problem, machine, s.setup, s.warnings);
    if (!built) {
      s.warnings.push_back(candidate.plan.text() + ": " + describe(built.takeError()).second);
      continue;
    }
    auto us = timed(s.setup.measure, [&] {
      return timeOf(*machine.gpu, enqueue(*built->product, *vectors), bestUs);
    });
    if (!us)
      return us.takeError();
    candidate.measuredUs = *us;
    if (bestUs == 0 || *us < bestUs) {
      bestUs = *us;
      s.built = std::move(*built);
    }
  }
  s.chosenBy = "measured";
  return bestUs > 0 ? llvm::Error::success()
                    : fail(Status::notApplicable, "no plan could be built: {0}",
                           s.warnings.empty() ? "" : s.warnings.back());
}

llvm::Expected<Fit> firstFit(const CsrView &a, const Problem &problem,
                             llvm::ArrayRef<Candidate> candidates) {
  Fit fit{0, {}};
  for (const Candidate &candidate : candidates) {
    auto layout = pack(a, candidate.plan, problem);
    if (layout)
      return fit;
    auto [status, why] = describe(layout.takeError());
    if (status != Status::notApplicable)
      return failWith(status, why);
    fit.whyNot.push_back(std::move(why));
    ++fit.index;
  }
  return failWith(Status::notApplicable, fit.whyNot.empty() ? "no plan" : fit.whyNot.front());
}

// The best prediction that fits. A plan can fail to fit only where the profile was sampled, or
// where repeated entries hide from it that others are missing. What a library does not take is left
// to the next plan, and where no kernel can be had a library's call may still do.
static llvm::Error choosePredicted(const CsrView &a, const Request &request, Machine &machine,
                                   Specialized &s) {
  s.chosenBy = "predicted";
  std::pair<Status, std::string> failure;
  bool noKernels = false;
  for (const Candidate &candidate : s.candidates) {
    const bool isLibrary = findFormat(candidate.plan.format)->library != nullptr;
    if (noKernels && !isLibrary)
      continue;
    auto built = build(a, candidate.plan, request.problem, machine, s.setup, s.warnings);
    if (built) {
      s.built = std::move(*built);
      return llvm::Error::success();
    }
    auto reason = describe(built.takeError());
    if (reason.first != Status::notApplicable && !isLibrary) {
      if (reason.first != Status::missing)
        return failWith(reason.first, reason.second);
      noKernels = true;
      s.chosenBy = "fallback";
      s.warnings.push_back("no kernel of ours: " + reason.second);
    }
    if (failure.second.empty() || !isLibrary)
      failure = std::move(reason);
  }
  return failWith(failure.first, failure.second);
}

llvm::Error choose(const CsrView &a, const Request &request, Machine &machine, Specialized &s) {
  if (s.candidates.empty())
    return noPlan(s.offers);
  return request.rigor == Rigor::estimate ? choosePredicted(a, request, machine, s)
                                          : chooseMeasured(a, request, machine, s);
}

void keep(const Request &request, Machine &machine, const Specialized &s) {
  const CacheKey key = keyOf(request, machine, s);
  if (!isFree(request) || s.chosenBy == "fallback" || (!machine.gpu && recall(machine.cache, key)))
    return;
  const std::string text = s.built.plan.text();
  auto chosen = std::find_if(s.candidates.begin(), s.candidates.end(),
                             [&](const Candidate &c) { return c.plan.text() == text; });
  if (chosen == s.candidates.end())
    return;
  Wisdom wisdom{.plan = text, .predictedUs = chosen->predictedUs, .object = s.built.key.id};
  if (chosen->measuredUs > 0) {
    wisdom.chosen = Chosen::measured;
    wisdom.measuredUs = chosen->measuredUs;
  }
  remember(machine.cache, key, wisdom);
}

} // namespace specmv
