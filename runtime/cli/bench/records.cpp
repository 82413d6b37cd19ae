// Reads the lines of an earlier bench, and recognizes files that bench did not write.
#include "runtime/cli/bench/records.h"

#include "models/base/json_guard.h"
#include "models/gpus/curves.h"
#include "models/lab/matrix_market/text.h"
#include "runtime/cli/bench/setup_lines.h"
#include "runtime/cli/terminal.h"

namespace specmv::cli {

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
