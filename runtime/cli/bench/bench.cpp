// The verb bench: times all formats and cuSPARSE on each matrix, writes the lines of each matrix as
// soon as it is done, and writes totals at the end.
#include "runtime/cli/bench/lines.h"
#include "runtime/cli/bench/log.h"
#include "runtime/cli/bench/products_totals.h"
#include "runtime/cli/bench/session.h"
#include "runtime/cli/bench/setup_lines.h"
#include "runtime/cli/bench/setup_products.h"
#include "runtime/cli/bench/setup_start.h"
#include "runtime/cli/bench/setup_totals.h"
#include "runtime/cli/bench/suite.h"
#include "runtime/cli/bench/totals.h"
#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"

#include "models/matrix_market/matrix_market.h"
#include "runtime/measure/measure.h"
#include "runtime/measure/stopwatch.h"

namespace specmv::cli {

namespace json = llvm::json;

namespace {
// A bench under way.
struct Bench {
  const Options &options;
  Machine machine;
  double copyGBs;
  BenchLog log;
  Stopwatch clock{};
};

// What is to be measured: the arguments, or those of a suite that have enough entries.
struct Worklist {
  std::vector<std::string> arguments;
  int64_t leastEntries = 0; // of files
};
} // namespace

static llvm::Expected<Worklist> worklistOf(const Options &options) {
  Worklist list{options.arguments};
  if (!options.suite.empty()) {
    auto suite = findSuite(options.suite);
    if (!suite)
      return suite.takeError();
    if (suite->files.empty())
      warn(llvm::formatv("the suite runs without real matrices, because there are none in {0}; set "
                         "SPECMV_MATRICES to their folder",
                         matrixFolder()));
    list.leastEntries = suite->leastEntries;
    for (const auto *part : {&suite->files, &suite->specs})
      list.arguments.insert(list.arguments.end(), part->begin(), part->end());
  }
  if (list.arguments.empty())
    return fail(Status::badCall, "bench needs matrices, or --suite full or quick");
  return list;
}

// Writes what was measured of a matrix, of whichever kind.
template <class Measured>
static llvm::Error takeResult(Bench &bench, const TypedMatrix &a, llvm::Expected<Measured> result) {
  if (!result)
    return result.takeError();
  json::Object summary = summaryOf(a, *result);
  bench.log.add(recordOf(summary));
  std::string text = tableOf(a, *result);
  if (bench.options.json)
    text = linesOf(a, *result) + llvm::formatv("{0}\n", json::Value(std::move(summary))).str();
  if (llvm::Error error = bench.log.append(text))
    return error;
  if (const std::string wrong = wrongOf(*result); !wrong.empty())
    return fail(Status::badInput, "{0}: {1} gives a wrong product", a.matrix.name, wrong);
  return llvm::Error::success();
}

static llvm::Expected<SetupBench> benchSetups(const Bench &bench, const CsrView &a,
                                              const Request &request) {
  auto others = productsContenders(bench.machine, request);
  if (!others)
    return others.takeError();
  others->insert(others->begin(), startContender(bench.machine, request));
  return benchSetup(a, request, bench.machine, *others, {bench.options.states, bench.options.from});
}

static llvm::Error benchType(Bench &bench, const CsrMatrix &matrix, ValueType type) {
  const TypedMatrix a(matrix, type);
  const Request request = requestOf(bench.options, type);
  return bench.options.setup
             ? takeResult(bench, a, benchSetups(bench, a.view, request))
             : takeResult(bench, a, benchMatrix(a.view, request, bench.machine, bench.copyGBs));
}

// Measures one matrix in the types that the file does not have yet. To tell that, the matrix must
// be read: an argument can name one matrix in several ways, and two folders can have files of one
// name.
static llvm::Error benchArgument(Bench &bench, const std::string &argument, int64_t leastEntries,
                                 const std::string &progress) {
  auto matrix = loadMatrix(argument);
  if (!matrix)
    return matrix.takeError();
  if (isFile(argument) && matrix->nnz() < leastEntries)
    return llvm::Error::success();
  llvm::Error failure = llvm::Error::success();
  for (ValueType type : bench.options.types) {
    if (bench.log.takeDone(*matrix, type))
      continue;
    note(progress + matrix->name + " " + nameOf(type));
    failure = llvm::joinErrors(std::move(failure), benchType(bench, *matrix, type));
  }
  return failure;
}

static std::string progressOf(const Bench &bench, size_t done, size_t all) {
  const auto seconds = static_cast<int64_t>(bench.clock.milliseconds() / 1000);
  return llvm::formatv("[{0}/{1}, {2}:{3,0+2}] ", done + 1, all, seconds / 60, seconds % 60);
}

// A matrix that cannot be measured does not stop the bench: its error is printed as a warning, and
// the last such error is returned at the end.
static llvm::Error benchAll(Bench &bench, const Worklist &list) {
  llvm::Error failure = llvm::Error::success();
  for (size_t i = 0; i < list.arguments.size(); ++i) {
    const std::string progress = progressOf(bench, i, list.arguments.size());
    llvm::Error error = benchArgument(bench, list.arguments[i], list.leastEntries, progress);
    if (!error)
      continue;
    auto [status, sentence] = describe(std::move(error));
    warn(list.arguments[i] + ": " + sentence);
    llvm::consumeError(std::move(failure));
    failure = failWith(status, list.arguments[i] + ": " + sentence);
  }
  return failure;
}

template <class Total> static llvm::Error writeAll(Bench &bench, const std::vector<Total> &totals) {
  std::string text = textOf(totals);
  if (bench.options.json) {
    text.clear();
    for (const Total &total : totals)
      text += llvm::formatv("{0}\n", json::Value(jsonOf(total)));
  }
  return bench.log.append(text);
}

static llvm::Error writeTotals(Bench &bench) {
  const std::vector<BenchRecord> &records = bench.log.records();
  const int64_t l2Bytes = bench.machine.gpu->info().l2Bytes;
  if (!bench.options.setup)
    return writeAll(bench, totalsOf(records, l2Bytes));
  if (llvm::Error error = writeAll(bench, setupSumsOf(records, l2Bytes)))
    return error;
  return writeAll(bench, productsSumsOf(records, l2Bytes));
}

// Finds errors of the call that do not depend on the machine or the matrices.
static llvm::Error checkCall(const Options &options) {
  if (options.machine.target == Target::host)
    return fail(Status::badCall, "bench measures on a GPU; it cannot run with --target host");
  if (options.setup && options.machine.onlyPacks)
    return fail(Status::badCall, "--setup also measures a set-up that compiles its kernels, so it "
                                 "cannot be combined with --only-packs");
  if (!options.resume.empty() && !options.output.empty() && options.output != options.resume)
    return fail(Status::badCall,
                "--resume {0} writes to that file, so -o cannot name {1}; leave out -o",
                options.resume, options.output);
  if (!options.resume.empty() && !options.json)
    return fail(Status::badCall, "--resume continues a file of JSON lines; add --json");
  return checkAsked(options.formats, options.fixed);
}

// The log, with the session's line in it where lines are JSON.
static llvm::Expected<BenchLog> openLog(const Options &options, json::Object session) {
  auto log = options.resume.empty() ? BenchLog::create(options.output)
                                    : BenchLog::resume(options.resume, session);
  if (!log || !options.json)
    return log;
  if (llvm::Error error =
          log->append(llvm::formatv("{0}\n", json::Value(std::move(session))).str()))
    return error;
  return log;
}

static llvm::Expected<Machine> findMachine(const Options &options) {
  MachineRequest request = options.machine;
  request.target = Target::gpu;
  auto machine = machineOf(request);
  // Without a cache every plan is compiled, so that each set-up time includes compiling.
  if (machine && !machine->onlyPacks)
    machine->cache = Cache({}, "");
  return machine;
}

llvm::Error benchVerb(const Options &options) {
  if (llvm::Error error = checkCall(options))
    return error;
  auto list = worklistOf(options);
  if (!list)
    return list.takeError();
  auto machine = findMachine(options);
  if (!machine)
    return machine.takeError();
  llvm::Expected<double> copyGBs =
      options.setup ? 0.0 : measureCopyGBs(*machine->gpu); // no set-up is told by it
  if (!copyGBs)
    return copyGBs.takeError();
  auto log = openLog(options, sessionOf(options, *machine, *copyGBs));
  if (!log)
    return log.takeError();
  Bench bench{options, std::move(*machine), *copyGBs, std::move(*log)};
  llvm::Error outcome = benchAll(bench, *list);
  return llvm::joinErrors(std::move(outcome), writeTotals(bench));
}

} // namespace specmv::cli
