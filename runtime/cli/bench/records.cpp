// Reads the lines of an earlier bench, and writes and compares the line of a session.
#include "runtime/cli/bench/records.h"

#include "models/base/json_text.h"
#include "models/gpus/fields.h"
#include "models/lab/matrix_market/text.h"
#include "runtime/cli/bench/session.h"
#include "runtime/cli/bench/setup.h"
#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/cusparse/cusparse.h"
#include "runtime/lab/bench/setup_time.h"

#include "llvm/ADT/STLExtras.h"

#include <ctime>

namespace specmv::cli {

// --- Session -------------------------------------------------------------------------------------

// Writes the line of a session of the bench, and compares it with an earlier one.

namespace json = llvm::json;

// Returns today's date in the machine's time zone, as 2026-11-20.
static std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  char text[16] = "";
  if (localtime_r(&now, &local))
    std::strftime(text, sizeof text, "%Y-%m-%d", &local);
  return text;
}

// Lists states in the order of measurement, so that the order on the command line does not matter.
static json::Array statesJson(const Options &options) {
  json::Array out;
  for (const char *state : kSetupStates)
    if (options.states.empty() || llvm::is_contained(options.states, state))
      out.push_back(state);
  return out;
}

// Sorts formats by name, so that the order on the command line does not matter.
static json::Object requestJson(const Options &options) {
  std::vector<std::string> formats = requestOf(options, ValueType::f64).formats;
  llvm::sort(formats);
  formats.erase(std::unique(formats.begin(), formats.end()), formats.end());
  json::Object fixed;
  for (const auto &[name, value] : options.fixed)
    fixed[name] = value;
  json::Object out{{"formats", json::Array(formats)},
                   {"set", std::move(fixed)},
                   {"rigor", nameOf(requestOf(options, ValueType::f64).rigor)},
                   {"betaIsZero", options.betaIsZero},
                   {"vectors", options.vectors.front()},
                   {"gpu", json::fixUTF8(options.machine.gpuModel)},
                   {"suite", options.suite},
                   {"verb", options.verb},
                   {"setup", options.setup}};
  // Older files lack these fields, which then have their defaults.
  if (options.papersGrid == PapersGrid::full)
    out["papers"] = "full";
  if (options.reading.variant != StripsReading().variant)
    out["reading"] = nameOf(options.reading.variant);
  if (options.reading.law)
    out["law"] = nameOf(*options.reading.law);
  if (options.setup) {
    out["states"] = statesJson(options);
    out["from"] = options.from ? nameOf(*options.from) : "both";
  }
  return out;
}

json::Object sessionOf(const Options &options, const Machine &machine, double copyGBs) {
  json::Object out{
      {"machine", machine.gpu->info().name},    {"date", today()},
      {"specmv", SPECMV_VERSION_TEXT},          {"arch", machine.arch},
      {"l2Bytes", machine.gpu->info().l2Bytes}, {"driver", machine.gpu->info().driverVersion},
      {"cusparse", cusparseVersion()},          {"request", requestJson(options)}};
  if (copyGBs > 0)
    out["copyGbps"] = copyGBs;
  return out;
}

// Refuses two objects with different values under the key.
static llvm::Error checkSame(const char *key, const json::Object &before, const json::Object &now,
                             const std::string &path) {
  const json::Value *old = before.get(key), *own = now.get(key);
  if (!old || !own || *old == *own)
    return llvm::Error::success();
  return fail(Status::badCall,
              "{0} was measured with {1} {2}, but this call has {1} {3}; use another file", path,
              key, *old, *own);
}

// Returns true if the request asks for set-ups, which files of 0.1.0 never do.
static bool asksForSetup(const json::Object *request) {
  return request && request->getBoolean("setup").value_or(false);
}

static llvm::Error checkSameKind(const json::Object *before, const json::Object *now,
                                 const std::string &path) {
  const auto word = [](const json::Object *request) {
    return asksForSetup(request) ? "with" : "without";
  };
  if (asksForSetup(before) == asksForSetup(now))
    return llvm::Error::success();
  return fail(Status::badCall,
              "{0} was measured {1} --setup, but this call is {2} it; use another file", path,
              word(before), word(now));
}

// Fills in the defaults of fields that are written only otherwise, and for files written before the
// request had these fields: of bench, all states but the newest, from both sides.
static json::Object completed(json::Object request) {
  request.try_emplace("verb", "bench");
  request.try_emplace("vectors", 1);
  request.try_emplace("papers", "lines");
  request.try_emplace("reading", nameOf(StripsReading().variant));
  request.try_emplace("law", "own");
  if (asksForSetup(&request)) {
    request.try_emplace("states", json::Array{"cold", "pack", "again", "structure", "now"});
    request.try_emplace("from", "both");
  }
  return request;
}

llvm::Error checkSession(const json::Object &before, const json::Object &now,
                         const std::string &path) {
  for (const char *key : {"machine", "arch"})
    if (llvm::Error error = checkSame(key, before, now, path))
      return error;
  const json::Object *old = before.getObject("request"), *own = now.getObject("request");
  if (llvm::Error error = checkSameKind(old, own, path))
    return error;
  if (!old || !own) {
    note(path + " does not record the options that it was measured with");
    return llvm::Error::success();
  }
  const json::Object measured = completed(*old), asked = completed(*own);
  for (const char *key : {"verb", "formats", "set", "rigor", "betaIsZero", "vectors", "gpu",
                          "states", "from", "papers", "reading", "law"})
    if (llvm::Error error = checkSame(key, measured, asked, path))
      return error;
  return llvm::Error::success();
}

void warnOfVersions(const json::Object &before, const json::Object &now, const std::string &path) {
  for (const char *key : {"specmv", "driver", "cusparse"}) {
    const json::Value *old = before.get(key), *own = now.get(key);
    if (old && own && *old != *own)
      warn(llvm::formatv("{0} was measured with {1} {2}, but this run uses {3}", path, key, *old,
                         *own));
  }
}

llvm::Error checkLogOptions(const Options &options) {
  if (!options.resume.empty() && !options.output.empty() && options.output != options.resume)
    return fail(Status::badCall,
                "--resume {0} writes to that file, so -o cannot name {1}; leave out -o",
                options.resume, options.output);
  if (!options.resume.empty() && !options.json)
    return fail(Status::badCall, "--resume continues a file of JSON lines; add --json");
  return llvm::Error::success();
}

llvm::Expected<BenchLog> openLog(const Options &options, json::Object session) {
  auto log = options.resume.empty() ? BenchLog::create(options.output)
                                    : BenchLog::resume(options.resume, session);
  if (!log || !options.json)
    return log;
  if (llvm::Error error = log->append(jsonLine(options.verb.c_str(), std::move(session))))
    return error;
  return log;
}

// --- Records -------------------------------------------------------------------------------------

// Reads the lines of an earlier bench, and recognizes files that bench did not write.

namespace json = llvm::json;

BenchRecord recordOf(const json::Object &summary) {
  const auto text = [&](const char *key) { return summary.getString(key).value_or("").str(); };
  const auto integer = [&](const char *key) { return summary.getInteger(key).value_or(0); };
  return {.matrix = text("matrix"),
          .type = text("type"),
          .rows = integer("rows"),
          .cols = integer("cols"),
          .nnz = integer("nnz"),
          .csrBytes = integer("csrBytes"),
          .ratio = summary.getNumber("ratio").value_or(0),
          .replayRatio = summary.getNumber("replayRatio").value_or(0),
          .firstRatio = summary.getNumber("firstRatio").value_or(0),
          .firstReplayRatio = summary.getNumber("firstReplayRatio").value_or(0),
          .verified = summary.getBoolean("verified").value_or(true),
          .setup = figuresIn(summary)};
}

bool isOf(const BenchRecord &record, const CsrMatrix &matrix, ValueType type) {
  return record.matrix == json::fixUTF8(matrix.name) && record.type == nameOf(type) &&
         record.rows == matrix.rows && record.cols == matrix.cols && record.nnz == matrix.nnz();
}

constexpr const char *kNotOfBench =
    "bench did not write this line: it is no JSON object with a machine, a matrix and its type, or "
    "curves; remove it";

// Parses a line; returns an empty object if it is not one.
static json::Object objectOf(llvm::StringRef line) {
  auto value = json::parse(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return {};
  }
  json::Object *object = value->getAsObject();
  return object ? std::move(*object) : json::Object();
}

// The first line of a bench describes the machine.
static bool isMachine(const json::Object &line) { return line.getString("machine").has_value(); }

static bool isCurves(const json::Object &line) { return line.getObject(kCurvesField); }

static bool isResult(const json::Object &line) {
  return line.getBoolean("total").value_or(false) ||
         (line.getString("matrix") && line.getString("type"));
}

// Returns true if a line without a line end can be the start of a bench line. Keys are written in
// alphabetical order, so a machine's line begins with its architecture.
static bool mayBeCutOff(llvm::StringRef line, bool isFirst) {
  return line.empty() || line.starts_with(isFirst ? R"({"arch":"sm_)" : R"({")");
}

// Adds a line, which ends at offset `end` of the text, to `out`. `session` is the latest machine's
// line; it is added with its first summary or curves.
static void collectLine(BenchText &out, json::Object &session, json::Object line, size_t end) {
  if (isMachine(line)) {
    session = std::move(line);
    return;
  }
  const bool isSummary =
      line.getBoolean("summary").value_or(false) && !line.getBoolean("total").value_or(false);
  if (!isSummary && !isCurves(line))
    return;
  if (!session.empty())
    out.sessions.push_back(std::exchange(session, {}));
  if (isCurves(line))
    out.curves = std::move(*line.get(kCurvesField));
  else if (BenchRecord record = recordOf(line); record.verified)
    out.records.push_back(std::move(record));
  out.kept = end;
}

llvm::Expected<BenchText> parseBench(llvm::StringRef text, const std::string &path) {
  BenchText out;
  json::Object session;
  const auto refuse = [&](llvm::StringRef line, const std::string &sentence) {
    return matrixmarket::errorAt({text, path}, line.take_front(0), sentence);
  };
  llvm::StringRef rest = text;
  while (rest.contains('\n')) {
    const auto [line, tail] = rest.split('\n');
    if (const std::string why = whyTooDeep(line); !why.empty())
      return refuse(line, why + " for a line of a bench");
    json::Object object = objectOf(line);
    for (const char *key : {"machine", "matrix"})
      rememberName(object.getString(key).value_or(""));
    const bool isFirst = line.begin() == text.begin();
    if (isFirst && !isMachine(object))
      return refuse(line, "the first line of a bench file must describe the machine");
    if (!isMachine(object) && !isResult(object) && !isCurves(object))
      return refuse(line, kNotOfBench);
    collectLine(out, session, std::move(object), text.size() - tail.size());
    rest = tail;
  }
  if (!mayBeCutOff(rest, rest.begin() == text.begin()))
    return refuse(rest, kNotOfBench);
  return out;
}

llvm::Error forEachLine(llvm::StringRef kept,
                        llvm::function_ref<llvm::Error(const json::Object &line)> take) {
  for (llvm::StringRef rest = kept; !rest.empty();) {
    const auto [line, tail] = rest.split('\n');
    rest = tail;
    if (llvm::Error error = take(objectOf(line)))
      return error;
  }
  return llvm::Error::success();
}

std::string machineOf(const json::Object &session) {
  return session.getString("machine").value_or("an unknown GPU").str();
}

llvm::Error checkOneGpu(llvm::ArrayRef<json::Object> sessions, const std::string &path) {
  for (const json::Object &session : sessions)
    if (machineOf(session) != machineOf(sessions.back()))
      return fail(Status::badInput, "{0} was measured on {1} and on {2}; use one file for each GPU",
                  path, machineOf(session), machineOf(sessions.back()));
  return llvm::Error::success();
}

} // namespace specmv::cli
