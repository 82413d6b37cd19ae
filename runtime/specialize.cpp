// Calls the steps of specmv in order: profile; recall an earlier choice, or plan, choose and build;
// remember the choice.
#include "runtime/specialize.h"

#include "runtime/measure/stopwatch.h"
#include "runtime/recall.h"

namespace specmv {

static Specialized assembled(Profiled profiled, Ranked ranked, BuiltChoice chosen,
                             double recallMs) {
  const SetupTimes setup{.profile = profiled.ms,
                         .predict = recallMs + ranked.ms,
                         .build = chosen.buildMs,
                         .measure = chosen.measureMs};
  return {
      std::move(profiled),       std::move(ranked), chosen.choice, std::move(chosen.built), setup,
      std::move(chosen.warnings)};
}

llvm::Expected<Specialized> specialize(const SourceMatrix &a, const Request &request,
                                       Machine &machine) {
  auto profiled = profileMatrix(a, machine);
  if (!profiled)
    return profiled.takeError();
  const std::string &signature = profiled->signature;

  // The formats offer plans, which are ranked by predicted time.
  std::optional<Ranked> ranked;
  const auto rankAll = [&]() -> llvm::Error {
    return rankPlans(request, profiled->profile, machine).moveInto(ranked);
  };
  // Whether an earlier choice is followed where set-ups are weighed depends on the other plans.
  if (request.weighsSetup())
    if (llvm::Error error = rankAll())
      return error;

  // If the wisdom has a choice for this signature, it is built and nothing else is tried.
  const Stopwatch watch;
  if (auto known = recallChoice(a, request, signature, machine, ranked ? &*ranked : nullptr))
    return assembled(std::move(*profiled), std::move(known->ranked), std::move(known->chosen),
                     ranked ? ranked->ms : 0);
  const double recallMs = watch.milliseconds();
  if (!ranked)
    if (llvm::Error error = rankAll())
      return error;

  // choose() builds one or more candidates; build() packs the matrix, emits the source, finds the
  // object in the cache or compiles it, and loads it.
  auto chosen = choose(a, request, *ranked, machine);
  if (!chosen)
    return chosen.takeError();
  rememberChoice(request, signature, *ranked, *chosen, profiled->ms, machine);
  return assembled(std::move(*profiled), std::move(*ranked), std::move(*chosen), recallMs);
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
