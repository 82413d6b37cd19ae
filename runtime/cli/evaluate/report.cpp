// Groups judged matrices, sums them up, and writes JSON lines or tables.
#include "runtime/cli/evaluate/report.h"

#include "models/predict/pmf/pmf.h"
#include "runtime/cli/json.h"
#include "runtime/lab/evaluate/fit.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace specmv::cli {

namespace json = llvm::json;

namespace {
// Groups matrices by the time of their fastest product, and by whether their CSR fits in L2.
struct TimeGroup {
  const char *name;
  bool (*has)(const Judged &judged, int64_t l2Bytes);
};
} // namespace

static bool isLong(const Judged &judged, int64_t /*l2Bytes*/) {
  return judged.fastestUs >= kLongUs;
}
static bool isWithinL2(const Judged &judged, int64_t l2Bytes) {
  return csrBytesOf(*judged.measured) <= l2Bytes;
}

constexpr TimeGroup kTimeGroups[] = {
    {"long", isLong},
    {"long, 4 formats",
     [](const Judged &j, int64_t l2) { return isLong(j, l2) && hasManyFormats(*j.measured); }},
    {"long, within L2",
     [](const Judged &j, int64_t l2) { return isLong(j, l2) && isWithinL2(j, l2); }},
    {"long, beyond L2",
     [](const Judged &j, int64_t l2) { return isLong(j, l2) && !isWithinL2(j, l2); }},
    {"short", [](const Judged &j, int64_t l2) { return !isLong(j, l2); }},
};

static std::vector<Judged> inGroup(const std::vector<Judged> &all, const TimeGroup &group,
                                   int64_t l2Bytes) {
  std::vector<Judged> out;
  for (const Judged &judged : all)
    if (judged.fastestUs > 0 && group.has(judged, l2Bytes))
      out.push_back(judged);
  return out;
}

static void addRegrets(const std::string &model, const std::vector<Judged> &all, int64_t l2Bytes,
                       Evaluation &out) {
  for (const TimeGroup &group : kTimeGroups)
    if (RegretSummary regret = regretOf(inGroup(all, group, l2Bytes)); regret.cases > 0)
      out.regrets.push_back({model, group.name, std::move(regret)});
}

static const PublishedError *publishedFor(const TimeModel *model, llvm::StringRef format) {
  for (const PublishedError &published :
       model ? model->published : llvm::ArrayRef<PublishedError>())
    if (published.format == format)
      return &published;
  return nullptr;
}

// `model` is null if no paper gives its accuracy.
static void addErrors(const std::string &name, const TimeModel *model,
                      const std::vector<Judged> &longOnes, Evaluation &out) {
  const auto add = [&](const std::string &format, const ErrorSummary &error) {
    if (error.plans > 0)
      out.errors.push_back({name, format, error, publishedFor(model, format)});
  };
  add("", errorsOf(longOnes, ""));
  add("chosen", errorsOfChoices(longOnes));
  for (const Format &format : formats())
    add(format.name, errorsOf(longOnes, format.name));
}

static std::vector<Judged> triedAll(const std::vector<Judged> &judged) {
  std::vector<Judged> out;
  out.reserve(judged.size());
  for (const Judged &each : judged)
    out.push_back(afterTrial(each));
  return out;
}

static std::vector<Judged> judgedAll(llvm::ArrayRef<Measured> all, const TimeModel &model,
                                     const GpuModel &gpu, Candidates candidates) {
  std::vector<Judged> out;
  out.reserve(all.size());
  for (const Measured &measured : all)
    out.push_back(judge(measured, model, gpu, candidates));
  return out;
}

// Adds what the choice by launches costs where a graph is replayed, and the errors of predicted
// replays.
static void addReplayed(llvm::ArrayRef<Measured> all, const GpuModel &gpu, Evaluation &out) {
  std::vector<Measured> replayed;
  replayed.reserve(all.size());
  for (const Measured &each : all)
    replayed.push_back(replaysOf(each));
  addRegrets(replayModel().name, judgedAll(replayed, trafficModel(), gpu, Candidates::ours),
             gpu.l2Bytes, out);
  addErrors(replayModel().name, nullptr, judgedAll(replayed, replayModel(), gpu, Candidates::ours),
            out);
}

Evaluation evaluate(llvm::ArrayRef<Measured> all, const GpuModel &gpu,
                    const StripsReading &reading) {
  Evaluation out{.reading = reading};
  for (const TimeModel &model : timeModels(reading)) {
    const std::vector<Judged> judged = judgedAll(all, model, gpu, Candidates::ours);
    addRegrets(model.name, judged, gpu.l2Bytes, out);
    addErrors(model.name, &model, inGroup(judged, kTimeGroups[0], gpu.l2Bytes), out);
  }
  addRegrets("runoff", triedAll(judgedAll(all, trafficModel(), gpu, Candidates::ours)), gpu.l2Bytes,
             out);
  addRegrets("with-library", judgedAll(all, trafficModel(), gpu, Candidates::withLibrary),
             gpu.l2Bytes, out);
  addReplayed(all, gpu, out);
  return out;
}

void addLeftOut(llvm::ArrayRef<Measured> all, const GpuModel &gpu, Evaluation &evaluation) {
  const std::vector<Judged> judged = judgeLeftOut(all, gpu, Candidates::ours);
  addRegrets("left-out", judged, gpu.l2Bytes, evaluation);
  addRegrets("left-out-runoff", triedAll(judged), gpu.l2Bytes, evaluation);
  addErrors("left-out", nullptr, inGroup(judged, kTimeGroups[0], gpu.l2Bytes), evaluation);
}

static json::Object jsonOf(const RegretLine &line) {
  const RegretSummary &r = line.regret;
  return json::Object{{"total", true},       {"model", line.model},
                      {"group", line.group}, {"cases", r.cases},
                      {"regret", r.mean},    {"low", r.low},
                      {"high", r.high},      {"p95", r.p95},
                      {"worst", r.worst},    {"worstMatrix", json::fixUTF8(r.worstMatrix)}};
}

static json::Object jsonOf(const ErrorLine &line) {
  const ErrorSummary &e = line.error;
  json::Object out{{"total", true},    {"model", line.model}, {"format", line.format},
                   {"plans", e.plans}, {"meanError", e.mean}, {"medianError", e.median},
                   {"p90Error", e.p90}};
  if (line.published)
    out["published"] = json::Object{{"meanError", line.published->meanPercent / 100},
                                    {"where", line.published->where}};
  return out;
}

static const char *lawText(const StripsReading &reading) {
  return reading.law ? nameOf(*reading.law) : "own";
}

// Adds how a paper's model was read; null for what has no readings.
static json::Object withReading(json::Object line, const std::string &model,
                                const StripsReading &reading) {
  const bool isPmf = model == "pmf", isStatistics = model == "statistics";
  line["reading"] = nullptr, line["law"] = nullptr;
  if (isPmf)
    line["reading"] = nameOf(pmfVariantOf(reading));
  else if (isStatistics || model == "strips")
    line["reading"] = nameOf(reading.variant);
  if (isStatistics)
    line["law"] = lawText(reading);
  return line;
}

std::string linesOf(const Evaluation &evaluation) {
  std::string text;
  for (const RegretLine &line : evaluation.regrets)
    text += jsonLine("evaluate", withReading(jsonOf(line), line.model, evaluation.reading));
  for (const ErrorLine &line : evaluation.errors)
    text += jsonLine("evaluate", withReading(jsonOf(line), line.model, evaluation.reading));
  return text;
}

std::string tableOf(const Evaluation &evaluation) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "Time of the choice divided by that of the fastest measured plan; long: at least "
      << llvm::formatv("{0:f0} us\n", kLongUs)
      << llvm::formatv("{0,-15} {1,-16} {2,5}  {3,-22}  {4,5}  {5,5}\n", "model", "matrices",
                       "cases", "mean (95 percent in)", "p95", "worst");
  for (const auto &[model, group, r] : evaluation.regrets)
    out << llvm::formatv(
        "{0,-15} {1,-16} {2,5}  {3:f3} ({4:f3} .. {5:f3})  {6,5:f2}  {7,5:f2} {8}\n", model, group,
        r.cases, r.mean, r.low, r.high, r.p95, r.worst, r.worstMatrix);
  out << llvm::formatv("\nThe papers' models: {0}, law of the statistics paper's lengths: {1}\n",
                       nameOf(evaluation.reading.variant), lawText(evaluation.reading));
  out << "\nError of the predicted time in percent, of plans of long matrices (of replays: of "
         "all)\n"
      << llvm::formatv("{0,-15} {1,-14} {2,6}  {3,6}  {4,6}  {5,6}  {6}\n", "model", "format",
                       "plans", "mean", "median", "p90", "published mean");
  for (const auto &[model, format, e, published] : evaluation.errors)
    out << llvm::formatv(
        "{0,-15} {1,-14} {2,6}  {3,6:f1}  {4,6:f1}  {5,6:f1}  {6}\n", model,
        format.empty() ? "all" : format, e.plans, 100 * e.mean, 100 * e.median, 100 * e.p90,
        published ? llvm::formatv("{0} ({1})", published->meanPercent, published->where).str()
                  : "");
  return text;
}

} // namespace specmv::cli
