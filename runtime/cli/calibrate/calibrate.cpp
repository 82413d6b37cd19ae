// The verb calibrate. It measures this GPU alone, and matrices of many families and the papers'
// benchmark matrices on it, or reads earlier measurements. Then it fits the time models and writes
// the GPU's model.
#include "generator/rate_table.h"
#include "models/gpus/fields.h"
#include "models/lab/families/families.h"
#include "runtime/cli/bench/records.h"
#include "runtime/cli/bench/session.h"
#include "runtime/cli/bench/worklist.h"
#include "runtime/cli/calibrate/base.h"
#include "runtime/cli/calibrate/check.h"
#include "runtime/cli/evaluate/records.h"
#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"
#include "runtime/lab/calibrate/curves.h"
#include "runtime/lab/calibrate/work.h"
#include "runtime/lab/evaluate/measured.h"
#include "runtime/measure/stopwatch.h"
#include "runtime/plan/planning_model.h"

#include "llvm/Support/Path.h"

#include <limits>

namespace specmv::cli {

namespace json = llvm::json;

// Larger benchmark matrices take seconds to make and add no information: the papers' lines are
// straight.
constexpr int64_t kMostEntries = int64_t{1} << 25;
// The full grid has matrices whose CSR and padded format in double fit the GPU; normal row lengths
// take about twice the slots. Indices have 32 bits.
constexpr int64_t kBytesOfEntry = 12 + 2 * 12;
static int64_t mostOfFullGrid(const GpuInfo &gpu) {
  return std::min<int64_t>(std::numeric_limits<int32_t>::max(), gpu.memoryBytes / kBytesOfEntry);
}
// The full grid has no time limit; otherwise no matrix is started after this time.
constexpr double kMostMs = 7.5 * 60 * 1000;

// Returns the source of each number: "specmv calibrate of h200.jsonl: measured 2026-11-22 on NVIDIA
// H200, driver 13000".
static std::string sourceOf(const json::Object &session, const std::string &file) {
  const auto text = [&](const char *key) { return session.getString(key).value_or("?").str(); };
  return llvm::formatv("specmv calibrate of {0}: measured {1} on {2}, driver {3}",
                       llvm::sys::path::filename(file), text("date"), text("machine"),
                       session.getInteger("driver").value_or(0));
}

// Reports errors and choices over what was fitted, since errors can fall while choices get worse.
static void noteFit(const ReadMeasured &read, const GpuModel &start, const FitResult &fit) {
  size_t cases = 0;
  const auto figures = [&](const GpuModel &gpu) {
    std::vector<Judged> judged;
    judged.reserve(read.all.size());
    for (const Measured &each : read.all)
      if (!isKeptFromFits(each))
        judged.push_back(judge(each, trafficModel(), gpu, Candidates::ours));
    cases = judged.size();
    return std::pair(100 * errorsOf(judged, "").mean, regretOf(judged).mean);
  };
  const auto before = figures(start), after = figures(fit.model);
  note(llvm::formatv("{0} numbers of {1} moved; of {2} cases the mean error went from {3:f1} to "
                     "{4:f1} percent, the mean regret of the choice from {5:f3} to {6:f3}",
                     fit.moved.size(), start.name, cases, before.first, after.first, before.second,
                     after.second));
}

static void noteCurves(const Curves &curves) {
  const auto l2 = effectiveL2Bytes(curves);
  note(llvm::formatv("reading in order leaves L2 {0}; {1:f2} us from launch to launch, a copy at "
                     "{2:f0} GB/s",
                     l2 ? llvm::formatv("at {0:f1} MB", *l2 / (1 << 20)).str()
                        : "at a size that the curve does not show",
                     curves.periodUs.median, curves.copyGBs));
}

static llvm::Expected<std::string> fitted(const ReadMeasured &read, const BaseModel &base,
                                          const GpuModel &start, const std::string &log) {
  const Calibrated found = calibrated(read.all, start, sourceOf(read.session, log), read.curves);
  for (const std::string &sentence : found.notes)
    note(sentence);
  if (read.curves)
    noteCurves(*read.curves);
  noteFit(read, start, found.fit);
  return changedGpuModel(base.text, base.origin, found.changes);
}

// Stores a model where it is found by the name of its GPU.
static llvm::Error keep(llvm::StringRef device, const std::string &model) {
  Cache cache = Cache::open();
  auto path = placeForModel(cache, device);
  if (!path)
    return path.takeError();
  if (llvm::Error error = writeResult(*path, model))
    return error;
  note(llvm::formatv("the tool and the library now use {0} to predict for {1}", *path, device));
  return llvm::Error::success();
}

static llvm::Error writeModel(const Options &options, const std::string &log) {
  auto session = sessionIn(log);
  if (!session)
    return session.takeError();
  if (session->empty())
    return fail(Status::badInput, "{0} does not say where it was measured", log);
  auto base = baseOf(options, *session, log);
  if (!base)
    return base.takeError();
  auto start = parseGpuModel(base->text, base->origin);
  if (!start)
    return start.takeError();
  if (llvm::Error error = checkRates(*start, base->origin))
    return error;
  auto read = readMeasured(log, *start);
  if (!read)
    return read.takeError();
  if (llvm::Error error = checkMeasured(*read, log, *start))
    return error;
  if (llvm::all_of(read->all, isKeptFromFits))
    return fail(Status::badInput, "{0} has nothing to fit a model to: {1}; measure other matrices",
                log, keptFromFits(read->all));
  auto model = fitted(*read, *base, *start, log);
  if (!model)
    return model.takeError();
  if (options.keep)
    if (llvm::Error error = keep(session->getString("machine").value_or(""), *model))
      return error;
  if (options.keep && isStandardOutput(options.output))
    return llvm::Error::success();
  return writeResult(options.output, *model);
}

static llvm::Error measureItem(const CalibrationItem &item, const CsrMatrix &matrix, ValueType type,
                               PapersGrid grid, Machine &machine, BenchLog &log) {
  const TypedMatrix a(matrix, type);
  Request request;
  request.problem.type = type;
  request.formats = formatsToMeasure(item);
  request.fixed = item.fixed;
  auto swept = sweep(a.view, request, machine, {.timesMean = grid == PapersGrid::full});
  if (!swept) {
    auto [status, sentence] = describe(swept.takeError());
    if (status != Status::gpuMemory || grid == PapersGrid::lines)
      return failWith(status, sentence);
    warn(matrix.name + " is left out: " + sentence); // the full grid has some for larger GPUs
    return llvm::Error::success();
  }
  swept->measured.matrix = matrix.name;
  warnAll(swept->left);
  if (swept->isWrong)
    return fail(Status::badInput, "{0}: a product is wrong: {1}", matrix.name, swept->left.front());
  return log.append(linesOf(swept->measured, machine.model, true));
}

// Stops at the time limit, with a warning that says how to continue; returns whether all was
// measured.
static llvm::Expected<bool> measureItems(const std::vector<CalibrationItem> &items, PapersGrid grid,
                                         Machine &machine, BenchLog &log, const std::string &file) {
  const Stopwatch clock;
  MatrixQueue matrices(items.size(), Loading::ahead,
                       [&](size_t i) { return generateFamily(items[i].spec); });
  for (size_t i = 0; i < items.size(); ++i) {
    if (clock.milliseconds() > kMostMs && grid == PapersGrid::lines) {
      warn(llvm::formatv("{0} of {1} matrices were measured in {2:f1} minutes; repeat the call to "
                         "continue with the others; {3} keeps the measurements",
                         i, items.size(), kMostMs / 60000, file));
      return false;
    }
    auto matrix = matrices.take();
    if (!matrix)
      return matrix.takeError();
    for (const ValueType type : {ValueType::f32, ValueType::f64}) {
      if (log.takeDone(*matrix, type))
        continue;
      note(progressOf(clock, i, items.size()) + matrix->name + " " + nameOf(type));
      if (llvm::Error error = measureItem(items[i], *matrix, type, grid, machine, log))
        return error;
    }
  }
  return true;
}

// Measures the GPU alone, unless the log has that. Curves that could not be read again are not
// kept.
static llvm::Error measureCurvesOnce(Machine &machine, BenchLog &log, const std::string &source,
                                     const std::string &file) {
  if (log.curves())
    return readCurves(*log.curves(), file).takeError();
  note("curves of " + machine.gpu->info().name);
  auto curves = measureCurves(machine);
  if (!curves)
    return curves.takeError();
  curves->source = source;
  if (auto again = readCurves(curvesJson(*curves), "what was measured"); !again)
    return again.takeError();
  return log.append(curvesLine(*curves));
}

// Names the file that keeps measurements, so that they can continue after an interruption.
static llvm::Expected<std::string> logOf(const Options &options, Machine &machine) {
  if (!options.resume.empty())
    return options.resume;
  if (!isStandardOutput(options.output))
    return options.output + ".jsonl";
  auto model = placeForModel(machine.cache, machine.gpu->info().name);
  if (!model)
    return model;
  return *model + ".jsonl";
}

static std::vector<CalibrationItem> itemsOf(const Options &options, const Machine &machine) {
  const PapersGrid grid = options.papersGrid;
  const int64_t most =
      grid == PapersGrid::full ? mostOfFullGrid(machine.gpu->info()) : kMostEntries;
  return partOf(calibrationWork(machine.model, most, grid), options.part.index, options.part.count);
}

// Returns the file with the measurements.
static llvm::Expected<std::string> measure(const Options &options) {
  MachineRequest request = options.machine;
  request.target = Target::gpu;
  request.usesOwnModels = false; // otherwise a bad model could not be replaced
  auto machine = machineOf(request, options.verb);
  if (!machine)
    return machine.takeError();
  if (llvm::Error error = refuseBusy(*machine->gpu))
    return error;
  auto file = logOf(options, *machine);
  if (!file)
    return file;
  json::Object session = sessionOf(options, *machine, 0);
  session["device"] = deviceJson(withClocks(machine->gpu->info()));
  const std::string source = sourceOf(session, *file);
  auto log = BenchLog::resume(*file, session);
  if (!log)
    return log.takeError();
  if (llvm::Error error = log->append(jsonLine("calibrate", std::move(session))))
    return error;
  if (llvm::Error error = measureCurvesOnce(*machine, *log, source, *file))
    return error;
  auto isWhole =
      measureItems(itemsOf(options, *machine), options.papersGrid, *machine, *log, *file);
  if (!isWhole)
    return isWhole.takeError();
  if (*isWhole && !options.part.isAll())
    note(llvm::formatv("{0} has part {1} of {2}; join the parts and give them to --measured", *file,
                       options.part.index + 1, options.part.count));
  return file;
}

llvm::Error calibrateVerb(const Options &options) {
  if (llvm::Error error = checkCalibration(options))
    return error;
  if (!options.measured.empty())
    return writeModel(options, options.measured);
  auto file = measure(options);
  if (!file)
    return file.takeError();
  if (!options.part.isAll())
    return llvm::Error::success();
  return writeModel(options, *file);
}

} // namespace specmv::cli
