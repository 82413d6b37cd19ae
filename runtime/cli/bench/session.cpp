// Writes the line of a session of the bench, and compares it with an earlier one.
#include "runtime/cli/bench/session.h"

#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/cusparse/cusparse.h"
#include "runtime/lab/bench/setup_bench.h"

#include "llvm/ADT/STLExtras.h"

#include <ctime>

namespace specmv::cli {

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

} // namespace specmv::cli
