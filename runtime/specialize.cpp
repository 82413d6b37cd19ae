// Tells the whole story of specmv: profile, recall or plan, choose and build, remember.
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

llvm::Expected<Specialized> specialize(const CsrView &a, const Request &request, Machine &machine) {
  auto profiled = profileMatrix(a);
  if (!profiled)
    return profiled.takeError();
  const std::string &signature = profiled->signature;

  // An earlier choice for this signature, built.
  const Stopwatch watch;
  if (auto known = recallChoice(a, request, signature, machine))
    return assembled(std::move(*profiled), std::move(known->ranked), std::move(known->chosen), 0);
  const double recallMs = watch.milliseconds();

  // The formats offer their plans, which are ranked by their predictions.
  auto ranked = rankPlans(request, profiled->profile, machine);
  if (!ranked)
    return ranked.takeError();
  // Builds the candidates that it wants to see: build() packs, emits, finds the object in the cache
  // or compiles it, and loads.
  auto chosen = choose(a, request, *ranked, machine);
  if (!chosen)
    return chosen.takeError();
  rememberChoice(request, signature, *ranked, *chosen, machine);
  return assembled(std::move(*profiled), std::move(*ranked), std::move(*chosen), recallMs);
}

llvm::Expected<Analyzed> analyze(const CsrView &a, const Request &request, const Machine &machine) {
  auto profiled = profileMatrix(a);
  if (!profiled)
    return profiled.takeError();
  auto ranked = rankPlans(request, profiled->profile, machine);
  if (!ranked)
    return ranked.takeError();
  return Analyzed{std::move(*profiled), std::move(*ranked)};
}

} // namespace specmv
