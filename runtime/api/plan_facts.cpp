// Collects the facts about a set-up and writes them as sentences and as JSON.
#include "runtime/api/plan_facts.h"
#include "runtime/plan/planning_model.h"

#include "runtime/cuda/places.h"
#include "runtime/explain/sentence.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

static void addMachine(PlanFacts &out, const DeviceCsr &a, const Request &request,
                       Machine &machine) {
  out.size = sizeOf(a);
  out.problem = request.problem;
  out.products = request.weighsSetup() ? request.expectedProducts : 0;
  out.device = machine.gpu ? machine.gpu->info().name : "host";
  out.arch = machine.arch;
  out.whyHost = machine.whyHost;
  if (machine.gpu)
    out.gpu = machine.gpu->info();
  for (std::string &warning : machine.cache.takeWarnings())
    out.warnings.push_back(std::move(warning));
  llvm::append_range(out.warnings, takeToolkitWarnings());
}

void addBuilt(PlanFacts &out, const Built &built) {
  out.hasKernel = !built.source.text.empty();
  out.isGeneral = built.isGeneral;
  out.wasReady = built.hit;
  out.compiler = built.object ? built.object->compiler : "";
  const Format *format = findFormat(built.plan.format);
  out.isLibraryCall = format && format->library;
  out.storedBytes = built.layout.storedBytes();
}

PlanFacts factsOf(const DeviceCsr &a, Specialized &made, const Request &request, Machine &machine) {
  PlanFacts out{.signature = std::move(made.signature),
                .profile = std::move(made.profile),
                .ranked = std::move(made.ranked),
                .choice = made.choice,
                .setup = made.setup,
                .warnings = std::move(made.warnings)};
  addBuilt(out, made.built);
  addMachine(out, a, request, machine);
  return out;
}

std::string setupSentence(const PlanFacts &facts, const std::string &plan) {
  std::string parts;
  for (const auto &[name, ms] : partsOf(facts.setup))
    parts += llvm::formatv("{0}{1} {2:f2}", parts.empty() ? ": " : ", ", name, ms).str();
  return llvm::formatv("chosen: {0} ({1}) on {2}; set-up {3:f2} ms{4}", plan,
                       nameOf(facts.choice.by), facts.device, facts.setup.total(), parts);
}

std::string kernelSentence(const PlanFacts &facts) {
  if (!facts.hasKernel)
    return facts.isLibraryCall ? "no kernel of specmv's own: a call of cuSPARSE" : "no kernel";
  if (facts.wasReady)
    return "the kernel was loaded already, or came from a pack or the cache";
  return facts.compiler.empty() ? "the kernel was not compiled"
                                : "the kernel was compiled by " + facts.compiler;
}

static JsonText kernelJson(const PlanFacts &facts) {
  if (!facts.hasKernel)
    return nullptr;
  const bool isCompiled = !facts.wasReady && !facts.compiler.empty();
  return JsonMembers{{"arch", facts.arch},
                     {"compiled", isCompiled},
                     {"compiler", isCompiled ? JsonText(facts.compiler) : nullptr}};
}

static JsonMembers timesJson(const SetupTimes &times) {
  JsonMembers out{{"total", times.total()}};
  for (const auto &[name, ms] : partsOf(times))
    out[name] = ms;
  return out;
}

static std::vector<JsonText> candidatesJson(const PlanFacts &facts) {
  std::vector<JsonText> out;
  for (const Candidate &candidate : facts.ranked.candidates) {
    JsonMembers each = jsonOf(candidate.plan);
    each["predictedUs"] = candidate.predictedUs;
    each["caution"] = candidate.traffic.caution;
    out.emplace_back(each);
  }
  return out;
}

static JsonText whyOf(const PlanFacts &facts, const Choice &choice, const GpuModel &gpu) {
  if (facts.ranked.candidates.size() <= choice.index)
    return nullptr;
  const Explanation e = explain({.candidates = facts.ranked.candidates,
                                 .choice = choice,
                                 .products = facts.products,
                                 .size = facts.size,
                                 .problem = facts.problem,
                                 .gpu = gpu,
                                 .profile = facts.profile ? &*facts.profile : nullptr,
                                 .storedBytes = facts.storedBytes});
  return whyJson(e, shortSentence(e));
}

JsonMembers factsJson(const PlanFacts &facts, const std::string &plan,
                      std::optional<double> learnedUs) {
  Choice choice = facts.choice;
  if (learnedUs) {
    choice.by = ChosenBy::learning;
    choice.measuredUs = *learnedUs;
  }
  JsonMembers out;
  if (auto parsed = parsePlan(plan))
    out["plan"] = jsonOf(*parsed);
  out["chosenBy"] = nameOf(choice.by);
  out["signature"] = facts.signature.empty() ? JsonText() : facts.signature;
  out["candidates"] = candidatesJson(facts);
  out["kernel"] = kernelJson(facts);
  out["libraryCall"] = facts.isLibraryCall;
  out["setupMs"] = timesJson(facts.setup);
  out["device"] = facts.device;
  out["whyHost"] = facts.whyHost.empty() ? JsonText() : facts.whyHost;
  out["why"] = out["gpuRates"] = JsonText();
  if (auto gpu = modelToPlanFor(facts.where, facts.gpu ? &*facts.gpu : nullptr)) {
    out["why"] = whyOf(facts, choice, *gpu);
    out["gpuRates"] = ratesJson(*gpu);
  } else {
    llvm::consumeError(gpu.takeError()); // the model was readable when the plan was made
  }
  out["warnings"] = facts.warnings;
  return out;
}

} // namespace specmv
