// The verb report: writes a page with pictures, about one matrix, its plans and their times, or
// about what bench measured.
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/cli/report/bench/sections.h"
#include "runtime/cli/report/measure_page.h"
#include "runtime/cli/report/sections.h"
#include "runtime/cli/verbs.h"
#include "runtime/cli/why.h"

#include "models/base/error.h"
#include "models/base/stage.h"

namespace specmv::cli {

static llvm::Error checkReport(const Options &options) {
  if (options.types.size() != 1)
    return fail(Status::badCall,
                "report writes a page for one type, but --type names {0}; name one",
                options.types.size());
  return llvm::Error::success();
}

// Returns the measured times that explain a choice; none unless both are known and right.
static MeasuredPair pairOf(const std::optional<MatrixBench> &bench, double us) {
  const BenchLine *theirs = bench ? bench->cusparseBest() : nullptr;
  if (!theirs || us == 0)
    return {};
  return {us, CusparseTime{theirs->format, theirs->us, CusparseTime::By::measurement}};
}

// Counts during products by a plan that took so long. It comes last, since counting may slow
// down what follows.
static KernelProfile countedOn(Machine &machine, const CsrView &a, const Problem &problem,
                               const Plan &plan, double us) {
  std::vector<KernelProfile> kernels{{.format = plan.format, .plan = plan}};
  KernelProfile &kernel = kernels.front();
  setTime(kernel.metrics, us, a.nnz);
  if (llvm::Error error = inTurn([] { return checkCupti(); },
                                 [&] { return countKernels(a, problem, machine, kernels); }))
    kernel.why = describe(std::move(error)).second;
  return kernel;
}

static llvm::Error writeReport(const Options &options, Task &task) {
  Machine &machine = task.machine;
  const Request request = weighingRequestOf(options, options.types.front());
  const TypedMatrix a(task.matrix, request.problem.type);
  Layout layout;
  auto found = findPlans(a.view, request, machine, &layout);
  if (!found)
    return found.takeError();
  if (found->seen.ranked.candidates.empty())
    return noPlan(found->seen.ranked.offers);
  std::optional<MatrixBench> bench;
  if (machine.gpu)
    if (llvm::Error error =
            measureForPage(a.view, task.matrix.name, request, machine, *found).moveInto(bench))
      return error;
  const Analysis analysis = analysisOf(task.matrix, a.view, request, machine, *found);
  const Plan &chosen = found->seen.ranked.candidates[found->fit.index].plan;
  const Explanation why = explanationOf(found->seen, found->fit, request, machine,
                                        pairOf(bench, measuredUs(bench, chosen)));
  std::optional<KernelProfile> counted;
  if (const double us = measuredUs(bench, chosen); us > 0)
    counted = countedOn(machine, a.view, request.problem, chosen, us);
  return writeResult(options.output, reportPage({a, analysis, why, layout, bench, counted}));
}

// Files of bench are told by their name.
static bool isBenchFile(llvm::StringRef name) {
  return name.ends_with(".jsonl") || name.ends_with(".jsonl.gz");
}

static llvm::Error reportBench(const Options &options) {
  const std::string &path = options.arguments.front();
  if (const std::string useless = optionBeside(options, {"o", "quiet"}); !useless.empty())
    return fail(Status::badCall, "{0} has measurements, so {1} changes nothing; leave it out", path,
                useless);
  auto file = readBenchFile(path);
  if (!file)
    return file.takeError();
  return writeResult(options.output, benchPage(*file));
}

llvm::Error reportVerb(const Options &options) {
  if (llvm::Error error = checkReport(options))
    return error;
  if (options.arguments.size() == 1 && isBenchFile(options.arguments.front()))
    return reportBench(options);
  auto task = taskOf(options);
  if (!task)
    return task.takeError();
  noteRates(task->machine.model, task->machine.gpu != nullptr);
  if (!task->machine.gpu)
    note("nothing is measured: " + task->machine.whyHost);
  return writeReport(options, *task);
}

} // namespace specmv::cli
