// The verb pregen: compiles the kernels of many matrices into one pack, without a GPU.
#include "runtime/cli/json.h"
#include "runtime/cli/option_values.h"
#include "runtime/cli/pregen/subject.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"

#include "generator/coding/coding.h"
#include "models/base/files.h"
#include "models/base/text.h"
#include "runtime/pregen/make.h"
#include "runtime/pregen/standard.h"
#include "runtime/store/folder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace specmv::cli {

namespace json = llvm::json;

static std::vector<std::string> architecturesOf(llvm::ArrayRef<Machine> machines) {
  std::vector<std::string> out;
  for (const Machine &machine : machines)
    out.push_back(machine.arch);
  return out;
}

// Returns true if --format and --set allow this plan in the standard pack, and it can have such
// kernels.
static bool isAskedFor(const Plan &plan, const Options &options, const Problem &problem) {
  return findFormat(plan.format)->whyNotFor(plan, problem).empty() &&
         whyNotCoding(codingOf(plan), plan, problem.type).empty() &&
         (options.formats.empty() || llvm::is_contained(options.formats, plan.format)) &&
         llvm::all_of(options.fixed, [&](const auto &fixed) {
           const int64_t *value = plan.find(fixed.first);
           return value && static_cast<double>(*value) == fixed.second;
         });
}

static std::vector<Problem> problemsOf(const Options &options) {
  std::vector<Problem> out;
  for (const Request &request : requestsOf(options))
    out.push_back(request.problem);
  return out;
}

// Adds the kernels of those of the plans that are asked for, for each of the problems.
static void addPlans(std::vector<Plan> plans, llvm::ArrayRef<Problem> problems,
                     const Options &options, const std::vector<std::string> &architectures,
                     std::vector<Wanted> &all) {
  const bool isNamed = options.values && *options.values != kAnyCoding;
  for (Plan &plan : plans) {
    if (isNamed && !plan.values.empty())
      continue; // another pattern has the plan without a coding
    if (isNamed)
      plan.values = *options.values;
    plan.order = options.order.value_or("");
    for (const Problem &problem : problems)
      if (isAskedFor(plan, options, problem))
        llvm::append_range(all, kernelsOf(plan, problem, architectures));
  }
}

static std::vector<Wanted> collectStandard(const Options &options,
                                           const std::vector<std::string> &architectures) {
  std::vector<Wanted> all;
  addPlans(standardPlans(), problemsOf(options), options, architectures, all);
  const bool namesProblems =
      options.vectors != std::vector<int64_t>{1} || !options.with.empty() || options.betaIsZero;
  for (const ValueType type : options.types)
    if (!namesProblems)
      addPlans(plansOfOtherProblems(), otherProblems(type), options, architectures, all);
  return all;
}

// Returns the kernels of the plan of --plan.
static llvm::Expected<std::vector<Wanted>>
collectGiven(const Options &options, const std::vector<std::string> &architectures) {
  std::vector<Wanted> all;
  const Format &format = *findFormat(options.plan->format);
  if (format.library)
    return fail(Status::badCall, "--plan: {0} is a call of {1}, so there is no kernel to compile",
                format.name, format.library);
  for (const Request &request : requestsOf(options)) {
    if (llvm::Error error = format.check(*options.plan, request.problem))
      return prefixedBy("--plan", std::move(error));
    llvm::append_range(all, kernelsOf(*options.plan, request.problem, architectures));
  }
  return all;
}

static llvm::Error collectOfMatrices(const Options &options, llvm::ArrayRef<Machine> machines,
                                     std::vector<Wanted> &all) {
  return forAllSubjects(options, [&](const Subject &subject) -> llvm::Error {
    for (const Machine &machine : machines) {
      auto wanted = wantedKernels(subject.request, subject.matrix.profile, machine,
                                  subject.typed.facts(subject.request, machine),
                                  subject.typed.fits(subject.request.problem));
      if (!wanted)
        return prefixedBy(subject.name, wanted.takeError());
      llvm::append_range(all, std::move(*wanted));
    }
    return llvm::Error::success();
  });
}

static llvm::Expected<std::vector<Wanted>> collect(const Options &options,
                                                   llvm::ArrayRef<Machine> machines) {
  if (options.order == kAnyOrder)
    return fail(Status::badCall,
                "pregen takes no --set order={0}; name the order, order=bfs, or leave it out",
                kAnyOrder);
  std::vector<Wanted> all;
  if (options.standard)
    all = collectStandard(options, architecturesOf(machines));
  if (options.plan) {
    auto given = collectGiven(options, architecturesOf(machines));
    if (!given)
      return given;
    llvm::append_range(all, std::move(*given));
  }
  if (llvm::Error error = collectOfMatrices(options, machines, all))
    return error;
  return all;
}

// Returns the GPUs that plans were predicted for; none if no plan was chosen.
static std::vector<std::string> gpusOf(const Options &options, llvm::ArrayRef<Machine> machines) {
  std::vector<std::string> out;
  for (const Machine &machine : machines)
    if (!options.arguments.empty())
      out.push_back(machine.model->name);
  return out;
}

static std::string packText(const Options &options, const MadePack &made,
                            llvm::ArrayRef<Machine> machines) {
  const std::vector<std::string> gpus = gpusOf(options, machines);
  std::string formats;
  for (const auto &[name, count] : made.byName)
    formats += (formats.empty() ? "" : ", ") + name + " " + std::to_string(count);
  return llvm::formatv("pack       {0}: {1}, {2} kernels for {3}{8}\n"
                       "formats    {4}\n"
                       "compiled   {5} in {6} by {7}\n",
                       options.output, shortBytes(static_cast<double>(made.bytes.size())),
                       made.kernels, llvm::join(architecturesOf(machines), ", "), formats,
                       made.kernels - made.takenOver, shortTime(made.compileMs * 1000),
                       made.compiler,
                       gpus.empty() ? "" : "; plans predicted for " + llvm::join(gpus, ", "));
}

static json::Object packJson(const Options &options, const MadePack &made,
                             llvm::ArrayRef<Machine> machines) {
  json::Object formats;
  for (const auto &[name, count] : made.byName)
    formats[name] = count;
  return json::Object{{"pack", json::fixUTF8(options.output)},
                      {"bytes", made.bytes.size()},
                      {"kernels", made.kernels},
                      {"architectures", json::Array(architecturesOf(machines))},
                      {"gpus", json::Array(gpusOf(options, machines))},
                      {"vectors", json::Array(options.vectors)},
                      {"formats", std::move(formats)},
                      {"takenOver", made.takenOver},
                      {"compileMs", made.compileMs},
                      {"compiler", made.compiler}};
}

// Prints the report to standard output, or to standard error if the pack goes to standard output.
static llvm::Error tellPack(const Options &options, const MadePack &made,
                            llvm::ArrayRef<Machine> machines) {
  if (options.json)
    return writeResult("", jsonDocument("pregen", packJson(options, made, machines)));
  if (!isStandardOutput(options.output))
    return writeText("", packText(options, made, machines));
  note(llvm::formatv("standard output: {0}, {1} kernels",
                     shortBytes(static_cast<double>(made.bytes.size())), made.kernels));
  return llvm::Error::success();
}

static llvm::Error checkPregenCall(const Options &options) {
  const char *without = options.plan ? "--plan" : options.standard ? "--standard" : nullptr;
  if (without && !options.coverage.empty())
    return fail(Status::badCall, "--coverage reports on matrices, and {0} has none; leave it out",
                without);
  if (options.arguments.empty() && !without)
    return fail(Status::badCall, "pregen needs a matrix, a SPEC{0}",
                options.coverage.empty() ? ", a file of 'analyze --signature', --standard or --plan"
                                         : " or a file of 'analyze --signature'");
  if (!options.coverage.empty())
    return llvm::Error::success();
  if (options.output.empty())
    return fail(Status::badCall, "pregen needs an output file: -o PACK, or -o - for standard "
                                 "output");
  return options.json ? checkApart("-o", options.output, "") : llvm::Error::success();
}

// Returns the pack that is being replaced; null if there is none.
static std::shared_ptr<const PackFile> formerPack(const Options &options) {
  if (isStandardOutput(options.output))
    return nullptr;
  auto pack = PackFile::open(absolutePath(options.output));
  if (pack)
    return *pack;
  llvm::consumeError(pack.takeError());
  return nullptr;
}

llvm::Error pregenVerb(const Options &options) {
  if (llvm::Error error = checkPregenCall(options))
    return error;
  if (!options.coverage.empty())
    return tellCoverage(options);
  auto machines = machinesToPlanFor(options);
  if (!machines)
    return machines.takeError();
  auto wanted = collect(options, *machines);
  if (!wanted)
    return wanted.takeError();
  const auto former = formerPack(options);
  auto made = makePack(*wanted, former.get());
  if (!made)
    return made.takeError();
  if (llvm::Error error = writePack(options.output, made->bytes))
    return error;
  return tellPack(options, *made, *machines);
}

} // namespace specmv::cli
