// Reads contenders and their times from the lines of a bench.
#include "runtime/cli/report/bench/cases.h"

#include "models/base/error.h"
#include "models/lab/matrix_market/text.h"
#include "llvm/ADT/STLExtras.h"

namespace specmv::cli {

namespace json = llvm::json;

const char *nameOf(BenchTimes times) {
  return times == BenchTimes::launches ? "launches" : "replays";
}

const BenchContender *BenchCase::chosen() const {
  const auto found = llvm::find_if(contenders, [](const BenchContender &c) { return c.isChosen; });
  return found == contenders.end() ? nullptr : &*found;
}

const BenchContender *BenchCase::fastest(bool isTheirs, BenchTimes times) const {
  const BenchContender *best = nullptr;
  for (const BenchContender &c : contenders)
    if (c.isTheirs == isTheirs && c.timeBy(times) > 0 &&
        (!best || c.timeBy(times) < best->timeBy(times)))
      best = &c;
  return best;
}

// Returns the first time by the second; 0 if one is missing.
static double quotient(const BenchContender *one, const BenchContender *other, BenchTimes times) {
  return one && other && one->timeBy(times) > 0 && other->timeBy(times) > 0
             ? one->timeBy(times) / other->timeBy(times)
             : 0;
}

double BenchCase::ratio(BenchTimes times) const {
  return quotient(fastest(true, times), chosen(), times);
}

double BenchCase::regret(BenchTimes times) const {
  return quotient(chosen(), fastest(false, times), times);
}

bool BenchFile::has(const std::string &type, BenchTimes times) const {
  return llvm::any_of(cases, [&](const BenchCase &c) {
    return c.type == type && llvm::any_of(c.contenders, [&](const BenchContender &contender) {
             return contender.timeBy(times) > 0;
           });
  });
}

std::vector<std::string> BenchFile::types() const {
  std::vector<std::string> out;
  for (const char *type : {"f32", "f64"})
    if (has(type, BenchTimes::launches))
      out.emplace_back(type);
  return out;
}

// Returns the predicted time of a line's plan, which is the fastest of its format.
static double predictedIn(const json::Object &line) {
  const json::Array *plans = line.getArray("plans");
  const json::Object *own = line.getObject("params");
  for (const json::Value &each : plans ? *plans : json::Array()) {
    const json::Object *plan = each.getAsObject();
    const json::Object *params = plan ? plan->getObject("params") : nullptr;
    if (own && params && *params == *own)
      return plan->getNumber("predictedUs").value_or(0);
  }
  return 0;
}

static bool isWrong(const json::Object &line) {
  return !line.getBoolean("verified").value_or(true);
}

// Refuses a wrong product of specmv. One of cuSPARSE takes no part.
static llvm::Error addContender(const json::Object &line, const std::string &path,
                                std::vector<BenchContender> &out) {
  const llvm::StringRef format = line.getString("format").value_or("");
  const double us = line.getNumber("us").value_or(0);
  const bool isTheirs = format.starts_with("cusparse");
  if (isWrong(line) && !isTheirs)
    return fail(Status::badInput,
                "{0}: {1}: {2} gives a wrong product in {3}; remove the lines of this matrix, and "
                "measure it "
                "again",
                path, line.getString("matrix").value_or(""), format.empty() ? "a plan" : format,
                line.getString("type").value_or(""));
  if (format.empty() || us <= 0 || isWrong(line))
    return llvm::Error::success();
  out.push_back({.format = format.str(),
                 .isTheirs = isTheirs,
                 .isChosen = line.getBoolean("chosen").value_or(false),
                 .us = us,
                 .usReplay = line.getNumber("usReplay").value_or(0),
                 .predictedUs = predictedIn(line)});
  return llvm::Error::success();
}

static void addCase(const json::Object &summary, std::vector<BenchContender> contenders,
                    BenchFile &out) {
  const BenchRecord record = recordOf(summary);
  if (!contenders.empty())
    out.cases.push_back({.matrix = record.matrix,
                         .type = record.type,
                         .nnz = record.nnz,
                         .csrBytes = record.csrBytes,
                         .fitsL2 = record.csrBytes <= out.l2Bytes(),
                         .contenders = std::move(contenders)});
}

llvm::Expected<BenchFile> readBenchFile(const std::string &path) {
  auto bytes = matrixmarket::readText(path);
  if (!bytes)
    return bytes.takeError();
  const llvm::StringRef text = bytes->text();
  auto bench = parseBench(text, path);
  if (!bench)
    return bench.takeError();
  if (llvm::Error error = checkOneGpu(bench->sessions, path))
    return error;
  BenchFile out{.path = path, .session = {}, .records = std::move(bench->records), .cases = {}};
  if (!bench->sessions.empty())
    out.session = std::move(bench->sessions.back());
  std::vector<BenchContender> contenders;
  const auto take = [&](const json::Object &line) -> llvm::Error {
    if (line.getString("machine")) // what an interrupted session left is measured again
      contenders.clear();
    else if (line.getBoolean("summary").value_or(false) && !isWrong(line))
      addCase(line, std::exchange(contenders, {}), out);
    else
      return addContender(line, path, contenders);
    return llvm::Error::success();
  };
  if (llvm::Error error = forEachLine(text.take_front(bench->kept), take))
    return error;
  if (out.types().empty())
    return fail(Status::badInput,
                "{0} has no product that was timed; report draws what specmv bench --json wrote, "
                "without --setup",
                path);
  return out;
}

} // namespace specmv::cli
