// The verb calibrate: measures matrices of many families and the papers' benchmark matrices on this
// GPU, or takes what was measured before, fits the models of time and writes the GPU's model.
#include "models/families/families.h"
#include "runtime/calibrate/busy.h"
#include "runtime/calibrate/model.h"
#include "runtime/calibrate/work.h"
#include "runtime/cli/bench/session.h"
#include "runtime/cli/bench/worklist.h"
#include "runtime/cli/evaluate/records.h"
#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"
#include "runtime/evaluate/sweep.h"
#include "runtime/measure/stopwatch.h"

#include "llvm/Support/Path.h"

namespace specmv::cli {

namespace json = llvm::json;

// Benchmark matrices of more entries take seconds to make and tell nothing new: the papers' lines
// are straight.
constexpr int64_t kMostEntries = int64_t{1} << 25;
// After this time no matrix is begun.
constexpr double kMostMs = 7.5 * 60 * 1000;

// "specmv calibrate of h200.jsonl: measured 2026-11-22 on NVIDIA H200, driver 13000", the source of
// each number.
static std::string sourceOf(const json::Object &session, const std::string &file) {
  const auto text = [&](const char *key) { return session.getString(key).value_or("?").str(); };
  return llvm::formatv("specmv calibrate of {0}: measured {1} on {2}, driver {3}",
                       llvm::sys::path::filename(file), text("date"), text("machine"),
                       session.getInteger("driver").value_or(0));
}

// Where no model is named to begin with, the file must be of the built-in one's GPU.
static llvm::Error refuseOtherGpu(const ReadMeasured &read, const GpuModel &start,
                                  const std::string &log) {
  if (read.isOf(start))
    return llvm::Error::success();
  return fail(Status::badCall,
              "{0} was measured on {1}, and {2} is the model of another GPU; name with --gpu "
              "FILE.json a model of that GPU with what its data sheet says and the rates of "
              "another (\"rates\": \"{2}\"), to begin with",
              log, read.machine(), start.name);
}

// Errors can fall while choices get worse, so both are told.
static void noteFit(const ReadMeasured &read, const GpuModel &start, const FitResult &fit) {
  const auto figures = [&](const GpuModel &gpu) {
    std::vector<Judged> judged;
    judged.reserve(read.all.size());
    for (const Measured &each : read.all)
      judged.push_back(judge(each, trafficModel(), gpu, Candidates::ours));
    return std::pair(100 * errorsOf(judged, "").mean, regretOf(judged).mean);
  };
  const auto before = figures(start), after = figures(fit.model);
  note(llvm::formatv("{0} numbers of {1} moved; of {2} cases the mean error went from {3:f1} to "
                     "{4:f1} percent, the mean regret of the choice from {5:f3} to {6:f3}",
                     fit.moved.size(), start.name, read.all.size(), before.first, after.first,
                     before.second, after.second));
}

static llvm::Error writeModel(const Options &options, const std::string &base,
                              const std::string &log) {
  auto text = gpuModelText(base);
  if (!text)
    return text.takeError();
  auto start = parseGpuModel(*text, base);
  if (!start)
    return start.takeError();
  auto read = readMeasured(log, *start);
  if (!read)
    return read.takeError();
  if (read->all.empty())
    return fail(Status::badInput, "{0} has no matrix whose plans were measured", log);
  if (options.machine.gpuModel.empty())
    if (llvm::Error error = refuseOtherGpu(*read, *start, log))
      return error;
  const Calibrated found = calibrated(read->all, *start, sourceOf(read->session, log));
  for (const std::string &sentence : found.notes)
    note(sentence);
  noteFit(*read, *start, found.fit);
  auto model = changedGpuModel(*text, base, found.changes);
  if (!model)
    return model.takeError();
  return writeResult(options.output, *model);
}

static llvm::Error measureItem(const CalibrationItem &item, const CsrMatrix &matrix, ValueType type,
                               Machine &machine, BenchLog &log) {
  const TypedMatrix a(matrix, type);
  Request request;
  request.problem.type = type;
  request.formats = item.formats;
  request.fixed = item.fixed;
  auto swept = sweep(a.view, request, machine, {});
  if (!swept)
    return swept.takeError();
  swept->measured.matrix = matrix.name;
  warnAll(swept->left);
  if (swept->isWrong)
    return fail(Status::badInput, "{0}: a product is wrong: {1}", matrix.name, swept->left.front());
  return log.append(linesOf(swept->measured, machine.model, true));
}

// Stops at the limit of time, with a warning that tells how to go on.
static llvm::Error measureItems(const std::vector<CalibrationItem> &items, Machine &machine,
                                BenchLog &log, const std::string &file) {
  const Stopwatch clock;
  for (size_t i = 0; i < items.size(); ++i) {
    if (clock.milliseconds() > kMostMs) {
      warn(llvm::formatv("{0} of {1} matrices were measured in {2:f1} minutes; the same call goes "
                         "on with the others, with what {3} has",
                         i, items.size(), kMostMs / 60000, file));
      return llvm::Error::success();
    }
    auto matrix = generateFamily(items[i].spec);
    if (!matrix)
      return matrix.takeError();
    for (const ValueType type : {ValueType::f32, ValueType::f64}) {
      if (log.takeDone(*matrix, type))
        continue;
      note(progressOf(clock, i, items.size()) + matrix->name + " " + nameOf(type));
      if (llvm::Error error = measureItem(items[i], *matrix, type, machine, log))
        return error;
    }
  }
  return llvm::Error::success();
}

// Measures, and returns the name of the machine's GPU model.
static llvm::Error measure(const Options &options, const std::string &file) {
  MachineRequest request = options.machine;
  request.target = Target::gpu;
  auto machine = machineOf(request);
  if (!machine)
    return machine.takeError();
  if (llvm::Error error = refuseBusy(*machine->gpu))
    return error;
  json::Object session = sessionOf(options, *machine, 0);
  auto log = BenchLog::resume(file, session);
  if (!log)
    return log.takeError();
  if (llvm::Error error =
          log->append(llvm::formatv("{0}\n", json::Value(std::move(session))).str()))
    return error;
  return measureItems(calibrationWork(machine->model, kMostEntries), *machine, *log, file);
}

static llvm::Error checkCalibration(const Options &options) {
  if (!options.arguments.empty())
    return fail(Status::badCall, "calibrate chooses its matrices itself; leave out {0}",
                options.arguments.front());
  if (!options.measured.empty() && !options.resume.empty())
    return fail(Status::badCall,
                "--measured {0} measures nothing, so there is nothing to go on with; leave out "
                "--resume {1}",
                options.measured, options.resume);
  if (!options.resume.empty() && options.resume == options.output)
    return fail(Status::badCall,
                "-o {0} would overwrite what is measured there; name another file for the model",
                options.output);
  if (options.measured.empty() && options.resume.empty() && isStandardOutput(options.output))
    return fail(Status::badCall,
                "what calibrate measures is kept in a file, so that it can go on after an "
                "interruption; name the model with -o FILE (measured in FILE.jsonl), or that file "
                "with --resume FILE.jsonl");
  return llvm::Error::success();
}

llvm::Error calibrateVerb(const Options &options) {
  if (llvm::Error error = checkCalibration(options))
    return error;
  const std::string base = options.machine.gpuModel.empty() ? "h200" : options.machine.gpuModel;
  if (!options.measured.empty())
    return writeModel(options, base, options.measured);
  const std::string file = options.resume.empty() ? options.output + ".jsonl" : options.resume;
  if (llvm::Error error = measure(options, file))
    return error;
  return writeModel(options, base, file);
}

} // namespace specmv::cli
