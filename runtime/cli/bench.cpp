// The verb bench: a table or JSON lines of all formats and cuSPARSE on each matrix.
#include "runtime/bench.h"

#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"

#include "runtime/cusparse.h"
#include "runtime/measure.h"

#include <ctime>

namespace specmv::cli {

namespace json = llvm::json;

namespace {

json::Object setupJson(const SetupTimes &t) {
  return json::Object{{"profile", t.profile}, {"predict", t.predict}, {"pack", t.pack},
                      {"emit", t.emit},       {"compile", t.compile}, {"load", t.load}};
}

json::Object headOf(const TypedMatrix &a) {
  json::Object out = jsonOf(a.matrix);
  out["matrix"] = std::move(out["name"]);
  out.erase("name");
  out["type"] = nameOf(a.view.valueType);
  return out;
}

json::Array plansJson(const BenchLine &line) {
  json::Array out;
  for (const PlanTime &time : line.plans)
    out.push_back(json::Object{{"params", paramsOf(time.plan)},
                               {"us", time.us},
                               {"predictedUs", time.predictedUs},
                               {"verified", time.verified}});
  return out;
}

json::Object lineJson(const TypedMatrix &a, const MatrixBench &b, const BenchLine &line) {
  json::Object out = headOf(a);
  out["format"] = line.format;
  out["params"] = paramsOf(line.plan);
  out["csrBytes"] = b.csrBytes;
  out["copyGbps"] = b.copyGBs;
  out["chosen"] = line.chosen;
  if (!line.why.empty()) {
    out["us"] = nullptr;
    out["why"] = line.why;
    return out;
  }
  out["us"] = line.us;
  out["usCold"] = line.usCold;
  out["storedBytes"] = line.storedBytes;
  out["gbps"] = static_cast<double>(b.csrBytes) / line.us / 1000;
  out["setupMs"] = setupJson(line.setup);
  out["plans"] = plansJson(line);
  const bool ours = findFormat(line.format) != nullptr;
  out["verified"] = ours ? json::Value(line.verified) : json::Value(nullptr);
  out["maxErrorRatio"] =
      ours ? json::Value(std::min(line.maxErrorRatio, 1e300)) : json::Value(nullptr);
  out["deterministic"] = ours ? json::Value(line.deterministic) : json::Value(nullptr);
  return out;
}

// Products after which the set-up has paid, against cuSPARSE's best; negative: never.
double breakEvenOf(const MatrixBench &b) {
  const double gain = b.cusparse.best()->us - b.chosen()->us;
  return gain > 0 ? b.chosen()->setup.total() * 1000 / gain : -1;
}

json::Object summaryJson(const TypedMatrix &a, const MatrixBench &b) {
  json::Object out = headOf(a);
  out["summary"] = true;
  out["csrBytes"] = b.csrBytes;
  const YardstickTime *cusparse = b.cusparse.best();
  const BenchLine *chosen = b.chosen();
  if (const BenchLine *best = b.best())
    out["best"] = best->format;
  if (cusparse) {
    out["cusparseBest"] = cusparse->name;
    out["cusparseBestUs"] = cusparse->us;
  }
  if (const YardstickTime *time = b.cusparse.find("cusparse-csr"))
    out["cusparseDefaultUs"] = time->us;
  if (!chosen || !cusparse || chosen->us == 0)
    return out;
  out["chosen"] = chosen->format;
  out["chosenUs"] = chosen->us;
  out["ratio"] = cusparse->us / chosen->us;
  out["floorRatio"] = chosen->us * b.copyGBs * 1000 / static_cast<double>(b.indexFreeBytes);
  out["rooflineRatio"] = static_cast<double>(b.csrBytes) / b.copyGBs / 1000 / chosen->us;
  const double breakEven = breakEvenOf(b);
  out["breakEven"] = breakEven < 0 ? json::Value(nullptr) : json::Value(breakEven);
  return out;
}

void printTable(llvm::raw_ostream &out, const TypedMatrix &a, const MatrixBench &b) {
  out << llvm::formatv("{0} {1}: {2} x {3}, {4} entries, copy {5:f0} GB/s\n", a.matrix.name,
                       nameOf(a.view.valueType), a.matrix.rows, a.matrix.cols, a.matrix.nnz(),
                       b.copyGBs);
  for (const BenchLine &line : b.lines) {
    if (!line.why.empty()) {
      out << llvm::formatv("  {0,-14} {1,9}  {2}\n", line.format, "-", line.why);
      continue;
    }
    const bool ours = findFormat(line.format) != nullptr;
    out << llvm::formatv(
        "  {0,-14} {1,9:f2} us  {2,9:f2} cold  {3,7:f0} GB/s  {4}{5}{6}\n", line.format, line.us,
        line.usCold, static_cast<double>(b.csrBytes) / line.us / 1000, ours ? line.plan.text() : "",
        line.chosen ? "  <- chosen" : "", ours && !line.verified ? "  WRONG" : "");
  }
}

void printLines(llvm::raw_ostream &out, const TypedMatrix &a, const MatrixBench &b) {
  for (const BenchLine &line : b.lines)
    out << json::Value(lineJson(a, b, line)) << "\n";
  out << json::Value(summaryJson(a, b)) << "\n";
}

llvm::Error benchType(const Options &options, const CsrMatrix &matrix, ValueType type,
                      Machine &machine, double copyGBs, llvm::raw_ostream &out) {
  const TypedMatrix a(matrix, type);
  auto bench = benchMatrix(a.view, requestOf(options, type), machine, copyGBs);
  if (!bench)
    return bench.takeError();
  options.json ? printLines(out, a, *bench) : printTable(out, a, *bench);
  out.flush();
  for (const BenchLine &line : bench->lines)
    for (const PlanTime &time : line.plans)
      if (time.us > 0 && !time.verified)
        return fail(Status::badInput, "{0}: the product of {1} is wrong", a.matrix.name,
                    time.plan.text());
  return llvm::Error::success();
}

// Measures one matrix in all types. What fails is said at once; the last failure is returned.
llvm::Error benchArgument(const Options &options, const std::string &argument, Machine &machine,
                          double copyGBs, llvm::raw_ostream &out) {
  auto matrix = loadMatrix(argument);
  if (!matrix)
    return matrix.takeError();
  llvm::Error failure = llvm::Error::success();
  for (ValueType type : options.types) {
    note(argument + " " + nameOf(type));
    llvm::Error error = benchType(options, *matrix, type, machine, copyGBs, out);
    if (!error)
      continue;
    auto [status, sentence] = describe(std::move(error));
    warn(argument + ": " + sentence);
    llvm::consumeError(std::move(failure));
    failure = failWith(status, argument + ": " + sentence);
  }
  return failure;
}

// Today's date where the machine is, as 2026-11-20.
std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  char text[16] = "";
  if (localtime_r(&now, &local))
    std::strftime(text, sizeof text, "%Y-%m-%d", &local);
  return text;
}

json::Object machineJson(const Machine &machine, double copyGBs) {
  return json::Object{{"machine", machine.gpu->info().name},
                      {"date", today()},
                      {"specmv", SPECMV_VERSION},
                      {"arch", machine.arch},
                      {"driver", machine.gpu->info().driverVersion},
                      {"cusparse", cusparseVersion()},
                      {"copyGbps", copyGBs}};
}

llvm::Error benchAll(const Options &options, Machine &machine, llvm::raw_ostream &out) {
  auto copyGBs = measureCopyGBs(*machine.gpu);
  if (!copyGBs)
    return copyGBs.takeError();
  if (options.json)
    out << json::Value(machineJson(machine, *copyGBs)) << "\n";
  // One matrix that cannot be measured does not cost the others their figures.
  llvm::Error failure = llvm::Error::success();
  for (const std::string &argument : options.arguments)
    if (llvm::Error error = benchArgument(options, argument, machine, *copyGBs, out)) {
      llvm::consumeError(std::move(failure));
      failure = std::move(error);
    }
  return failure;
}

} // namespace

llvm::Error benchVerb(const Options &options) {
  if (options.arguments.empty())
    return fail(Status::badCall, "bench takes matrices");
  MachineRequest request = options.machine;
  if (request.target == Target::host)
    return fail(Status::badCall, "bench measures on a GPU, not with --target host");
  request.target = Target::gpu;
  auto machine = Machine::find(request);
  if (!machine)
    return machine.takeError();
  // Every plan is compiled, so that each set-up has its cold price.
  machine->cache = Cache({}, "");
  llvm::Error outcome = llvm::Error::success();
  llvm::Error written = writeResult(options.output, [&](llvm::raw_ostream &out) {
    outcome = llvm::joinErrors(std::move(outcome), benchAll(options, *machine, out));
  });
  return llvm::joinErrors(std::move(written), std::move(outcome));
}

} // namespace specmv::cli
