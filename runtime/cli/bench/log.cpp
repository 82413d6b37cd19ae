// Writes the bench's lines with the field names of runtime/cli/JSON.md, and appends them to a file.
#include "runtime/cli/bench/log.h"

#include "models/base/text.h"
#include "runtime/cli/bench/records.h"
#include "runtime/cli/bench/session.h"
#include "runtime/cli/json.h"
#include "runtime/cli/report.h"
#include "runtime/cli/why.h"
#include "runtime/cusparse/cusparse.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace specmv::cli {

// --- Lines ---------------------------------------------------------------------------------------

// Writes the bench's lines with the field names of runtime/cli/JSON.md, and its table for people.

namespace json = llvm::json;

json::Object jsonOf(const SetupTimes &times) {
  json::Object out;
  for (const auto &[name, ms] : partsOf(times))
    out[name] = ms;
  return out;
}

json::Object headOf(const TypedMatrix &a) {
  json::Object out = jsonOf(a.matrix);
  out["matrix"] = std::move(out["name"]);
  out.erase("name");
  out["type"] = nameOf(a.view.valueType);
  return out;
}

static json::Array plansJson(const BenchLine &line) {
  json::Array out;
  for (const PlanTime &time : line.plans)
    out.push_back(json::Object{{"params", paramsOf(time.plan)},
                               {"us", time.us},
                               {"predictedUs", time.predictedUs},
                               {"verified", time.verified},
                               {"brief", time.brief}});
  return out;
}

static json::Object lineJson(const TypedMatrix &a, const MatrixBench &b, const BenchLine &line) {
  json::Object out = headOf(a);
  out["vectors"] = b.vectors;
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
  out["usReplay"] = orNull(line.replay.us);
  if (!line.replay.why.empty())
    out["whyNoReplay"] = json::fixUTF8(line.replay.why);
  if (line.isTheirs)
    return out;
  if (line.prepareUs > 0)
    out["prepareUs"] = line.prepareUs;
  out["usCold"] = line.usCold;
  out["storedBytes"] = line.storedBytes;
  out["gbps"] = static_cast<double>(b.csrBytes) / line.us / 1000;
  out["setupMs"] = jsonOf(line.setup);
  out["plans"] = plansJson(line);
  out["verified"] = line.verified;
  out["maxErrorRatio"] = std::min(line.maxErrorRatio, 1e300);
  out["deterministic"] = line.deterministic;
  out["brief"] = line.brief;
  return out;
}

// Returns the number of products after which the set-up has paid for itself, compared with the
// fastest algorithm of cuSPARSE; negative: never.
static double breakEvenOf(const MatrixBench &b) {
  const double gain = b.cusparseBest()->us - b.chosen()->us;
  return gain > 0 ? b.chosen()->setup.total() * 1000 / gain : -1;
}

static const Plan *wrongPlan(const MatrixBench &b) {
  for (const BenchLine &line : b.lines) {
    if (line.us > 0 && !line.verified && !line.isTheirs)
      return &line.plan;
    for (const PlanTime &time : line.plans)
      if (time.us > 0 && !time.verified)
        return &time.plan;
  }
  return b.first && b.first->us > 0 && !b.first->verified ? &b.first->plan : nullptr;
}

std::string wrongOf(const MatrixBench &b) {
  const Plan *wrong = wrongPlan(b);
  return wrong ? wrong->text() : "";
}

// Adds the comparison of what a solver sees that captured its loop in a graph.
static void addReplays(const MatrixBench &b, json::Object &out) {
  const BenchLine *cusparse = b.cusparseBestReplay(), *chosen = b.chosen();
  if (cusparse) {
    out["cusparseBestReplay"] = cusparse->format;
    out["cusparseBestReplayUs"] = cusparse->replay.us;
  }
  if (!chosen || chosen->replay.us == 0 || !chosen->verified)
    return;
  out["chosenReplayUs"] = chosen->replay.us;
  if (cusparse)
    out["replayRatio"] = cusparse->replay.us / chosen->replay.us;
}

// Adds the plan that a program begins with, and its ratios if its product is right.
static void addFirst(const MatrixBench &b, json::Object &out) {
  if (!b.first || b.first->us == 0)
    return;
  const BenchLine &first = *b.first;
  out["first"] = json::Object{{"format", first.format},
                              {"params", paramsOf(first.plan)},
                              {"general", first.isGeneral},
                              {"us", first.us},
                              {"usReplay", orNull(first.replay.us)},
                              {"verified", first.verified}};
  if (!first.verified)
    return;
  if (const BenchLine *cusparse = b.cusparseBest())
    out["firstRatio"] = cusparse->us / first.us;
  const BenchLine *replayed = b.cusparseBestReplay();
  if (replayed && first.replay.us > 0)
    out["firstReplayRatio"] = replayed->replay.us / first.replay.us;
}

json::Object summaryOf(const TypedMatrix &a, const MatrixBench &b) {
  json::Object out = headOf(a);
  out["summary"] = true;
  out["vectors"] = b.vectors;
  out["verified"] = wrongPlan(b) == nullptr;
  out["csrBytes"] = b.csrBytes;
  const BenchLine *cusparse = b.cusparseBest(), *chosen = b.chosen();
  if (const BenchLine *best = b.best())
    out["best"] = best->format;
  if (cusparse) {
    out["cusparseBest"] = cusparse->format;
    out["cusparseBestUs"] = cusparse->us;
  }
  addReplays(b, out);
  addFirst(b, out);
  if (const BenchLine *line = b.find("cusparse-csr"))
    out["cusparseDefaultUs"] = line->us;
  if (!chosen || !cusparse || chosen->us == 0 || !chosen->verified)
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

static std::string firstText(const MatrixBench &b) {
  if (!b.first)
    return "";
  const BenchLine &first = *b.first;
  if (!first.why.empty())
    return llvm::formatv("  {0,-14} {1,9}  {2}\n", "first plan", "-", first.why);
  return llvm::formatv("  {0,-14} {1,9}  {2,9} replayed  {3}{4}{5}\n", "first plan",
                       shortTime(first.us), first.replay.us > 0 ? shortTime(first.replay.us) : "-",
                       planText(first.plan), first.isGeneral ? "  (general kernel)" : "",
                       first.verified ? "" : "  WRONG");
}

static std::string preparationText(const BenchLine &line) {
  return line.prepareUs > 0 ? "  (prepared in " + shortTime(line.prepareUs) + ")" : "";
}

std::string tableOf(const TypedMatrix &a, const MatrixBench &b) {
  std::string text;
  llvm::raw_string_ostream out(text);
  const std::string version = cusparseVersion();
  out << llvm::formatv("{0} {1}: {2} x {3}, {4} entries{5}, copy {6}, {7}\n", a.matrix.name,
                       nameOf(a.view.valueType), a.matrix.rows, a.matrix.cols, a.matrix.nnz(),
                       vectorsText(b.vectors), shortRate(b.copyGBs),
                       version.empty() ? "no cuSPARSE" : version);
  for (const BenchLine &line : b.lines) {
    if (!line.why.empty()) {
      out << llvm::formatv("  {0,-14} {1,9}  {2}\n", line.format, "-", line.why);
      continue;
    }
    if (line.isTheirs) {
      out << llvm::formatv("  {0,-14} {1,9}\n", line.format, shortTime(line.us));
      continue;
    }
    out << llvm::formatv(
        "  {0,-14} {1,9}  {2,9} replayed  {3,9} cold  {4,10}  {5}{6}{7}{8}{9}\n", line.format,
        shortTime(line.us), line.replay.us > 0 ? shortTime(line.replay.us) : "-",
        shortTime(line.usCold), shortRate(static_cast<double>(b.csrBytes) / line.us / 1000),
        planText(line.plan), preparationText(line), line.chosen ? "  <- chosen" : "",
        line.brief ? "  (few products)" : "", line.verified ? "" : "  WRONG");
  }
  out << firstText(b);
  return text;
}

std::string linesOf(const TypedMatrix &a, const MatrixBench &b) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const BenchLine &line : b.lines)
    out << jsonLine("bench", lineJson(a, b, line));
  return text;
}

// --- Log -----------------------------------------------------------------------------------------

// Appends groups of JSON lines with plain system calls, and reads the lines of an earlier bench.

namespace json = llvm::json;

static llvm::Error logFileError(const char *what, const std::string &path) {
  return fail(Status::badInput, "cannot {0} '{1}': {2}", what, path, std::strerror(errno));
}

BenchLog::BenchLog(BenchLog &&other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)),
      records_(std::move(other.records_)), curves_(std::move(other.curves_)),
      done_(std::move(other.done_)) {}

BenchLog::~BenchLog() {
  if (fd_ > STDOUT_FILENO)
    close(fd_);
}

// Opens a file and locks it: two benches that write to it at the same time would mix their lines.
static llvm::Expected<int> openExclusively(const std::string &path, int flags) {
  const int fd = open(path.c_str(), flags | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0)
    return logFileError("write", path);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(fd);
    return fail(Status::badInput,
                "another bench is writing to '{0}'; wait for it or name another file", path);
  }
  return fd;
}

llvm::Expected<BenchLog> BenchLog::create(const std::string &path) {
  BenchLog log;
  if (path.empty() || path == "-") {
    log.path_ = "standard output";
    log.fd_ = STDOUT_FILENO;
    return log;
  }
  auto fd = openExclusively(path, O_WRONLY);
  if (!fd)
    return fd.takeError();
  log.path_ = path;
  log.fd_ = *fd;
  if (ftruncate(log.fd_, 0) != 0 && errno != EINVAL) // the answer of a pipe or a device
    return logFileError("shorten", path);
  return log;
}

// Returns the contents of an open file, which must be a regular one: other files may have no end.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> bytesOf(int fd,
                                                                   const std::string &path) {
  struct stat status {};
  if (fstat(fd, &status) != 0)
    return logFileError("read", path);
  if (!S_ISREG(status.st_mode))
    return fail(Status::badInput, "{0}: error: this is not a regular file", path);
  auto bytes = llvm::MemoryBuffer::getOpenFile(fd, path, static_cast<uint64_t>(status.st_size),
                                               /*RequiresNullTerminator=*/false,
                                               /*IsVolatile=*/true);
  if (!bytes)
    return fail(Status::badInput, "cannot read '{0}': {1}", path, bytes.getError().message());
  return std::move(*bytes);
}

llvm::Expected<BenchLog> BenchLog::resume(const std::string &path, const json::Object &session) {
  BenchLog log;
  log.path_ = path;
  auto fd = openExclusively(path, O_RDWR | O_APPEND);
  if (!fd)
    return fd.takeError();
  log.fd_ = *fd;
  auto bytes = bytesOf(log.fd_, path);
  if (!bytes)
    return bytes.takeError();
  auto text = parseBench((*bytes)->getBuffer(), path);
  if (!text)
    return text.takeError();
  for (const json::Object &before : text->sessions)
    if (llvm::Error error = checkSession(before, session, path))
      return error;
  if (!text->sessions.empty())
    warnOfVersions(text->sessions.back(), session, path);
  log.done_ = text->records;
  log.records_ = std::move(text->records);
  log.curves_ = std::move(text->curves);
  if (ftruncate(log.fd_, static_cast<off_t>(text->kept)) != 0)
    return logFileError("shorten", path);
  return log;
}

bool BenchLog::takeDone(const CsrMatrix &matrix, ValueType type) {
  const auto found =
      llvm::find_if(done_, [&](const BenchRecord &record) { return isOf(record, matrix, type); });
  if (found == done_.end())
    return false;
  done_.erase(found);
  return true;
}

llvm::Error BenchLog::append(const std::string &lines) {
  const ProgressPause pause;
  for (size_t at = 0; at < lines.size();) {
    const ssize_t written = write(fd_, lines.data() + at, lines.size() - at);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return logFileError("write", path_);
    at += static_cast<size_t>(written);
  }
  return llvm::Error::success();
}

} // namespace specmv::cli
