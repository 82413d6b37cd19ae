// The verb bench: times all formats and cuSPARSE on each matrix, writes the lines of each matrix as
// soon as it is done, and writes totals at the end.
#include "runtime/cli/bench/log.h"
#include "runtime/cli/bench/records.h"
#include "runtime/cli/bench/session.h"
#include "runtime/cli/bench/setup.h"
#include "runtime/cli/bench/totals.h"
#include "runtime/cli/bench/worklist.h"
#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"

#include "models/lab/matrix_market/matrix_market.h"
#include "runtime/measure/measure.h"

namespace specmv::cli {

namespace json = llvm::json;

namespace {
// A bench in progress.
struct Bench {
  const Options &options;
  Machine machine;
  double copyGBs;
  BenchLog log;
};
} // namespace

// Writes the measurements of a matrix, of either kind.
template <class Measured>
static llvm::Error takeResult(Bench &bench, const TypedMatrix &a, llvm::Expected<Measured> result) {
  if (!result)
    return result.takeError();
  json::Object summary = summaryOf(a, *result);
  bench.log.add(recordOf(summary));
  std::string text = tableOf(a, *result);
  if (bench.options.json)
    text = linesOf(a, *result) + jsonLine("bench", std::move(summary));
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

template <class Total> static llvm::Error writeAll(Bench &bench, const std::vector<Total> &totals) {
  std::string text = textOf(totals);
  if (bench.options.json) {
    text.clear();
    for (const Total &total : totals)
      text += jsonLine("bench", jsonOf(total));
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

// Checks the call for errors that do not depend on the machine or the matrices.
static llvm::Error checkCall(const Options &options) {
  if (options.machine.target == Target::host)
    return fail(Status::badCall, "bench measures on a GPU; it cannot run with --target host");
  if (options.setup && options.machine.onlyPacks)
    return fail(Status::badCall, "--setup also measures a set-up that compiles its kernels, so it "
                                 "cannot be combined with --only-packs");
  if (options.setup && options.vectors.front() > 1)
    return fail(Status::badCall,
                "--setup times products of one vector; leave out --vectors {0} or --setup",
                options.vectors.front());
  return checkLogOptions(options);
}

static llvm::Expected<Machine> findMachine(const Options &options) {
  MachineRequest request = options.machine;
  request.target = Target::gpu;
  auto machine = machineOf(request, options.verb);
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
      options.setup ? 0.0 : measureCopyGBs(*machine->gpu); // set-up results do not use it
  if (!copyGBs)
    return copyGBs.takeError();
  auto log = openLog(options, sessionOf(options, *machine, *copyGBs));
  if (!log)
    return log.takeError();
  Bench bench{options, std::move(*machine), *copyGBs, std::move(*log)};
  llvm::Error outcome = measureAll(
      *list, options, bench.log, Loading::inTurn,
      [&](const CsrMatrix &matrix, ValueType type) { return benchType(bench, matrix, type); });
  return llvm::joinErrors(std::move(outcome), writeTotals(bench));
}

} // namespace specmv::cli
