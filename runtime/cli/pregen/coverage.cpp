// pregen --coverage: reports for which matrices, types and architectures a pack has the kernels of
// the plan that would be chosen: those of its product and those that pack on a GPU, since a first
// plan needs both. It also reports how much slower the best plan in the pack is.
#include "runtime/cli/json.h"
#include "runtime/cli/pregen/subject.h"
#include "runtime/cli/report.h"
#include "runtime/cli/why.h"

#include "runtime/choose/choose.h"
#include "runtime/pregen/wanted.h"
#include "runtime/store/folder.h"
#include "runtime/store/packs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace specmv::cli {

namespace json = llvm::json;

namespace {
struct Covered {
  std::string matrix, problem, arch;
  std::string plan;    // the best predicted plan
  std::string packed;  // the best plan whose kernels are in the pack; "" if none
  double ratio = 0;    // predicted time of `packed` divided by that of `plan`
  bool isTied = false; // `packed` ties with `plan`, so choose() takes it

  bool isBest() const { return !packed.empty() && packed == plan; }
};

struct Coverage {
  std::vector<Covered> choices;

  size_t chosen() const {
    return llvm::count_if(choices, [](const Covered &c) { return c.isTied; });
  }
  size_t best() const {
    return llvm::count_if(choices, [](const Covered &c) { return c.isBest(); });
  }
  size_t any() const {
    return llvm::count_if(choices, [](const Covered &c) { return !c.packed.empty(); });
  }
  // Returns the choices of each family of generated matrices, or those of all files.
  std::map<std::string, Coverage> byFamily() const {
    std::map<std::string, Coverage> out;
    for (const Covered &choice : choices) {
      const auto [name, keys] = llvm::StringRef(choice.matrix).split(':');
      out[keys.empty() ? "files" : name.str()].choices.push_back(choice);
    }
    return out;
  }
  // Returns the geometric mean over the choices for which there is a kernel; 1 if there is none.
  double ratio() const {
    double sum = 0;
    for (const Covered &choice : choices)
      sum += choice.packed.empty() ? 0 : std::log(choice.ratio);
    return std::exp(sum / static_cast<double>(std::max<size_t>(1, any())));
  }
};
} // namespace

static llvm::Expected<Covered> coveredBy(const Machine &machine, const Subject &subject) {
  const Request &request = subject.request;
  auto ranked = rankPlans(request, subject.matrix.profile, machine, Look::untilDecided,
                          subject.typed.facts(request, machine));
  if (!ranked)
    return ranked.takeError();
  const std::vector<Candidate> &candidates = ranked->candidates;
  if (candidates.empty())
    return prefixedBy(subject.name, noPlan(ranked->offers));
  const FitsMatrix fits = subject.typed.fits(request.problem);
  const auto best =
      llvm::find_if(candidates, [&](const Candidate &c) { return !fits || fits(c.plan); });
  if (best == candidates.end())
    return prefixedBy(subject.name, fail(Status::notApplicable, "no plan fits"));
  Covered out{subject.name, problemText(request.problem), machine.arch, best->plan.text(), ""};
  const auto first = std::find_if(best, candidates.end(), [&](const Candidate &c) {
    return isReady(c.plan, request.problem, machine, SetupPart::packing, IndexType::i32) &&
           (!fits || fits(c.plan));
  });
  if (first != candidates.end()) {
    out.packed = first->plan.text();
    out.ratio = first->predictedUs / best->predictedUs;
    out.isTied = ties(*first, *best);
  }
  return out;
}

static std::string textOfCoverage(const Options &options, const Coverage &all) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const Covered &c : all.choices) {
    out << llvm::formatv("{0,-3}  {1} {2} {3}: {4}\n", c.isTied ? "yes" : "no", c.arch, c.problem,
                         c.matrix, planText(c.plan));
    if (!c.isBest() && !c.packed.empty())
      out << llvm::formatv("     there is {0}, at {1:f2} times the predicted time\n",
                           planText(c.packed), c.ratio);
  }
  for (const auto &[family, of] : all.byFamily())
    out << llvm::formatv("{0,-14} {1} of {2} choices, at {3:f3} times the best predicted time\n",
                         family, of.chosen(), of.choices.size(), of.ratio());
  out << llvm::formatv("{0} has the kernel of the choice for {1} of {2} choices; that of the best "
                       "prediction for {3}; any kernel for {4}, at {5:f3} times the best predicted "
                       "time (geometric mean)\n",
                       options.coverage, all.chosen(), all.choices.size(), all.best(), all.any(),
                       all.ratio());
  return text;
}

static json::Object jsonOfCoverage(const Options &options, const Coverage &all) {
  json::Array choices;
  for (const Covered &c : all.choices) {
    json::Object choice{{"matrix", json::fixUTF8(c.matrix)},
                        {"problem", c.problem},
                        {"arch", c.arch},
                        {"plan", c.plan},
                        {"covered", c.isTied},
                        {"best", c.isBest()},
                        {"packed", nullptr}};
    if (!c.packed.empty())
      choice["packed"] = json::Object{{"plan", c.packed}, {"ratio", c.ratio}};
    choices.push_back(std::move(choice));
  }
  return json::Object{{"pack", json::fixUTF8(options.coverage)},
                      {"covered", all.chosen()},
                      {"best", all.best()},
                      {"any", all.any()},
                      {"of", all.choices.size()},
                      {"ratio", all.ratio()},
                      {"choices", std::move(choices)}};
}

llvm::Error tellCoverage(const Options &options) {
  auto pack = packAt(absolutePath(options.coverage));
  if (!pack)
    return pack.takeError();
  auto machines = machinesToPlanFor(options);
  if (!machines)
    return machines.takeError();
  for (Machine &machine : *machines) {
    machine.cache = Cache({}, "", {*pack});
    machine.kernels = KernelKind::atHand; // general kernels count as well
  }
  Coverage all;
  llvm::Error error = forAllSubjects(options, [&](const Subject &subject) -> llvm::Error {
    for (const Machine &machine : *machines) {
      auto covered = coveredBy(machine, subject);
      if (!covered)
        return covered.takeError();
      all.choices.push_back(std::move(*covered));
    }
    return llvm::Error::success();
  });
  if (error)
    return error;
  for (Machine &machine : *machines)
    warnAll(machine.cache.takeWarnings());
  if (options.json)
    return writeResult(options.output, jsonDocument("pregen", jsonOfCoverage(options, all)));
  return writeText(options.output, textOfCoverage(options, all));
}

} // namespace specmv::cli
