// The verb evaluate: measures plans of matrices on the GPU, or reads earlier measurements, and
// reports how accurate each time model is and what choosing by it costs.
#include "generator/rank.h"
#include "models/base/text.h"
#include "runtime/cli/bench/log.h"
#include "runtime/cli/bench/records.h"
#include "runtime/cli/bench/session.h"
#include "runtime/cli/bench/worklist.h"
#include "runtime/cli/evaluate/records.h"
#include "runtime/cli/evaluate/report.h"
#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"
#include "runtime/cli/why.h"
#include "runtime/lab/evaluate/measured.h"
#include "runtime/plan/planning_model.h"

#include "llvm/Support/FileSystem.h"

namespace specmv::cli {

namespace json = llvm::json;

namespace {
// An evaluation in progress.
struct Evaluating {
  const Options &options;
  Machine machine;
  BenchLog log;
  std::vector<Measured> all = {};
};
} // namespace

// Selects how many plans to measure: one, as many as a trial may take, a few, or all plans of each
// format.
static SweepOptions sweepOptions(Rigor rigor) {
  switch (rigor) {
  case Rigor::estimate:
    return {.mostOfAFormat = 1};
  case Rigor::trial:
  case Rigor::online:
    return {.mostOfAFormat = kTriedOfAFormat};
  case Rigor::measure:
    return {.mostOfAFormat = 3};
  case Rigor::exhaustive:
    break;
  }
  return {.mostOfAFormat = 0};
}

static std::string lineOf(const Measured &measured, const GpuModel &gpu) {
  const Judged judged = judge(measured, trafficModel(), gpu, Candidates::ours);
  if (!judged.choice)
    return llvm::formatv("{0} {1}: no plan\n", measured.matrix, nameOf(measured.type));
  const MeasuredPlan &choice = measured.plans[*judged.choice];
  return llvm::formatv("{0} {1}: {2} by {3}, {4:f3} times the fastest of {5} plans\n",
                       measured.matrix, nameOf(measured.type), shortTime(choice.us),
                       planText(choice.plan), judged.regret(), measured.plans.size());
}

static llvm::Error evaluateType(Evaluating &e, const CsrMatrix &matrix, ValueType type) {
  const TypedMatrix a(matrix, type);
  const Request request = requestOf(e.options, type);
  SweepOptions how = sweepOptions(request.rigor);
  how.timesMean = e.options.papersGrid == PapersGrid::full;
  auto swept = sweep(a.view, request, e.machine, how);
  if (!swept)
    return swept.takeError();
  Measured &measured = swept->measured;
  measured.matrix = matrix.name;
  warnAll(swept->left);
  const GpuModel &gpu = e.machine.model;
  if (llvm::Error error =
          e.log.append(e.options.json ? linesOf(measured, gpu, !swept->isWrong, e.options.reading)
                                      : forTerminal(lineOf(measured, gpu))))
    return error;
  e.all.push_back(std::move(measured));
  return swept->isWrong ? fail(Status::badInput, "{0}: a product is wrong", matrix.name)
                        : llvm::Error::success();
}

static llvm::Error writeEvaluation(const Options &options, const GpuModel &gpu,
                                   llvm::ArrayRef<Measured> all, BenchLog &log) {
  Evaluation evaluation = evaluate(all, gpu, options.reading);
  const bool isOneFamily = llvm::all_of(all, [&](const Measured &each) {
    return familyOf(each.matrix) == familyOf(all.front().matrix);
  });
  if (options.leftOut && isOneFamily)
    warn("--left-out needs matrices of at least two families, but all of these are of one");
  else if (options.leftOut && llvm::all_of(all, isKeptFromFits))
    warn("--left-out has nothing to fit a model to: " + keptFromFits(all));
  else if (options.leftOut) {
    if (const std::string kept = keptFromFits(all); !kept.empty())
      note(kept);
    addLeftOut(all, gpu, evaluation);
  }
  return log.append(options.json ? linesOf(evaluation) : "\n" + forTerminal(tableOf(evaluation)));
}

// Writes the lines of all matrices, so that the new file can be judged in place of the one read.
static llvm::Error writeJudged(ReadMeasured &read, const GpuModel &gpu,
                               const StripsReading &reading, BenchLog &log) {
  std::string lines = jsonLine("evaluate", std::move(read.session));
  if (read.curves)
    lines += curvesLine(*read.curves);
  for (const Measured &measured : read.all)
    lines += linesOf(measured, gpu, true, reading);
  return log.append(lines);
}

// Judges earlier measurements by the present models, on a machine with or without a GPU.
static llvm::Error judgeMeasured(const Options &options) {
  auto gpu =
      modelToPlanFor({.gpuModel = options.machine.gpuModel, .arch = options.machine.arch}, nullptr);
  if (!gpu)
    return gpu.takeError();
  noteRates(*gpu, /*isHere=*/false);
  auto read = readMeasured(options.measured, *gpu);
  if (!read)
    return read.takeError();
  if (llvm::Error error = checkMeasured(*read, options.measured, *gpu))
    return error;
  if (options.machine.gpuModel.empty() && !read->isOf(*gpu))
    warn(llvm::formatv("{0} was measured on {1}, but is judged by the model {2}; name another one "
                       "with --gpu",
                       options.measured, read->machine(), (*gpu)->name));
  auto log = BenchLog::create(options.output);
  if (!log)
    return log.takeError();
  if (options.json)
    if (llvm::Error error = writeJudged(*read, *gpu, options.reading, *log))
      return error;
  return writeEvaluation(options, *gpu, read->all, *log);
}

// These options judge measurements that exist.
constexpr llvm::StringRef kToJudge[] = {"measured", "left-out", "reading", "law",  "gpu",
                                        "arch",     "json",     "o",       "quiet"};

static llvm::Error checkEvaluation(const Options &options) {
  if (!options.measured.empty() && (!options.arguments.empty() || !options.suite.empty()))
    return fail(Status::badCall, "--measured takes the matrices from {0}; leave out {1}",
                options.measured,
                options.suite.empty() ? options.arguments.front() : "--suite " + options.suite);
  if (const std::string useless = optionBeside(options, kToJudge);
      !useless.empty() && !options.measured.empty())
    return fail(Status::badCall,
                "--measured {0} takes no measurements, so {1} changes nothing; leave it out",
                options.measured, useless);
  if (options.measured.empty() && options.machine.target == Target::host)
    return fail(Status::badCall, "evaluate measures on a GPU; without one it can only judge "
                                 "earlier measurements: pass --measured FILE");
  return checkLogOptions(options);
}

static llvm::Error measureMatrices(const Options &options) {
  auto list = worklistOf(options);
  if (!list)
    return list.takeError();
  MachineRequest request = options.machine;
  request.target = Target::gpu;
  auto machine = machineOf(request, options.verb);
  if (!machine)
    return machine.takeError();
  noteRates(machine->model, /*isHere=*/true);
  std::vector<Measured> before;
  if (!options.resume.empty() && llvm::sys::fs::exists(options.resume)) {
    auto read = readMeasured(options.resume, machine->model);
    if (!read)
      return read.takeError();
    before = std::move(read->all);
  }
  auto log = openLog(options, sessionOf(options, *machine, 0));
  if (!log)
    return log.takeError();
  Evaluating e{options, std::move(*machine), std::move(*log), std::move(before)};
  llvm::Error outcome = measureAll(
      *list, options, e.log, Loading::ahead,
      [&](const CsrMatrix &matrix, ValueType type) { return evaluateType(e, matrix, type); });
  return llvm::joinErrors(std::move(outcome),
                          writeEvaluation(options, e.machine.model, e.all, e.log));
}

llvm::Error evaluateVerb(const Options &options) {
  if (llvm::Error error = checkEvaluation(options))
    return error;
  return options.measured.empty() ? measureMatrices(options) : judgeMeasured(options);
}

} // namespace specmv::cli
