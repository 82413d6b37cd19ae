// Calls the steps of specmv in order: identify the matrix and recall an earlier choice, or profile,
// plan, choose and build; remember the choice.
#include "runtime/specialize.h"

#include "runtime/measure/stopwatch.h"
#include "runtime/recall.h"

namespace specmv {

std::vector<std::pair<const char *, double>> partsOf(const SetupTimes &t) {
  return {{"machine", t.machine}, {"profile", t.profile}, {"recall", t.recall},
          {"predict", t.predict}, {"choose", t.choose},   {"pack", t.build.pack},
          {"emit", t.build.emit}, {"find", t.build.find}, {"compile", t.build.compile},
          {"load", t.build.load}, {"measure", t.measure}, {"keep", t.keep},
          {"update", t.update}};
}

double SetupTimes::total() const {
  double sum = 0;
  for (const auto &[name, ms] : partsOf(*this))
    sum += ms;
  return sum;
}

// `before` has the times of the steps before the choice was built.
static Specialized assembled(std::string signature, std::optional<SparsityProfile> profile,
                             Ranked ranked, BuiltChoice chosen, SetupTimes before) {
  before.build = chosen.buildMs;
  before.measure = chosen.measureMs;
  return {std::move(signature),      std::move(profile),
          std::move(ranked),         chosen.choice,
          std::move(chosen.built),   before,
          std::move(chosen.warnings)};
}

// Calls recallChoice() and counts its time without the build as recall time.
static std::optional<Recalled> timedRecall(const SourceMatrix &a, const Request &request,
                                           const std::string &pattern, Machine &machine,
                                           const Ranked *ranked, SetupTimes &ms) {
  auto known = timed(ms.recall, [&] { return recallChoice(a, request, pattern, machine, ranked); });
  if (known)
    ms.recall -= known->chosen.buildMs.total();
  return known;
}

// Follows an earlier choice for this pattern without a profile. nullopt if there is none, or if it
// can only be followed after ranking the other plans. Sets `identified` to what it found on the
// way.
static llvm::Expected<std::optional<Specialized>>
followEarlierChoice(const SourceMatrix &a, const Request &request, Machine &machine,
                    std::optional<Identified> &identified, SetupTimes &ms) {
  if (!mayRecall(request))
    return std::nullopt;
  if (llvm::Error error = identify(a, machine).moveInto(identified))
    return error;
  if (!identified)
    return std::nullopt;
  ms.profile += identified->ms;
  auto known = timedRecall(a, request, identified->pattern, machine, nullptr, ms);
  if (!known)
    return std::nullopt;
  return assembled(std::move(known->signature), std::nullopt, std::move(known->ranked),
                   std::move(known->chosen), ms);
}

// Without a GPU nothing is run, so a trial becomes an estimate, whose choice later estimates
// follow.
static Request requestOn(const Machine &machine, Request request) {
  if (request.rigor == Rigor::trial && !machine.gpu)
    request.rigor = Rigor::estimate;
  return request;
}

llvm::Expected<Specialized> specialize(const SourceMatrix &a, const Request &asked,
                                       Machine &machine) {
  const Request request = requestOn(machine, asked);
  const size_t loads = machine.gpu ? machine.gpu->loads() : 0;
  std::optional<Identified> identified;
  SetupTimes ms;
  auto followed = followEarlierChoice(a, request, machine, identified, ms);
  if (!followed)
    return followed.takeError();
  if (*followed)
    return std::move(**followed);

  auto profiled = profileMatrix(a, machine, identified ? &*identified : nullptr);
  if (!profiled)
    return profiled.takeError();
  ms.profile += profiled->ms;

  // The formats offer plans, which are ranked by predicted time.
  auto ranked = rankPlans(request, profiled->profile, machine);
  if (!ranked)
    return ranked.takeError();
  ms.predict = ranked->ms;

  // If the wisdom has a choice for this pattern, it is built and nothing else is tried. This second
  // lookup is needed where set-ups are weighed, since the decision may depend on the other plans,
  // and where the rows do not ascend, since the pattern was not identified then.
  if (!identified || identified->pattern != profiled->pattern || request.weighsSetup())
    if (auto known = timedRecall(a, request, profiled->pattern, machine,
                                 request.weighsSetup() ? &*ranked : nullptr, ms))
      return assembled(std::move(profiled->signature), std::move(profiled->profile),
                       std::move(known->ranked), std::move(known->chosen), ms);

  // choose() builds one or more candidates; build() packs the matrix, emits the source, finds the
  // object in the cache or compiles it, and loads it.
  auto chosen = timed(ms.choose, [&] { return choose(a, request, *ranked, machine); });
  if (!chosen)
    return chosen.takeError();
  ms.choose -= chosen->buildMs.total() + chosen->measureMs;
  const bool isTypical = machine.gpu && machine.gpu->loads() == loads;
  timed(ms.keep, [&] {
    rememberChoice(request, *profiled, *ranked, *chosen,
                   isTypical ? std::optional(ms.profile) : std::nullopt, machine);
  });
  return assembled(std::move(profiled->signature), std::move(profiled->profile), std::move(*ranked),
                   std::move(*chosen), ms);
}

llvm::Expected<Analyzed> analyze(const CsrView &a, const Request &request, const Machine &machine) {
  auto profiled = profileMatrix(a);
  if (!profiled)
    return profiled.takeError();
  auto ranked = rankPlans(request, profiled->profile, machine, Look::atAll);
  if (!ranked)
    return ranked.takeError();
  return Analyzed{std::move(*profiled), std::move(*ranked)};
}

} // namespace specmv
