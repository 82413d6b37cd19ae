// Writes the results of run.
#include "runtime/cli/run/report.h"

#include "models/base/text.h"
#include "runtime/cli/why.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/cusparse/cusparse.h"
#include "runtime/explain/sentence.h"
#include "runtime/plan/worth.h"

#include <algorithm>
#include <utility>

namespace specmv::cli {

static double gbpsOf(const CsrView &a, const RunOutcome &o) {
  return o.us > 0 ? static_cast<double>(csrBytes(a, o.vectors)) / o.us / 1000 : 0;
}

// Returns measured times in place of predictions.
static Worth measuredWorth(const Specialized &s, const RunOutcome &o) {
  return {.productUs = o.us, .setupUs = s.setup.total() * 1000};
}

static double errorRatioOf(const Verification &v) {
  return std::max(v.exact.maxErrorRatio, v.rounded.maxErrorRatio);
}

// Returns a figure of each algorithm; null where there is none.
template <class Figure>
static llvm::json::Object allOf(const Yardstick &cusparse, const Figure &figure) {
  llvm::json::Object out;
  for (const YardstickTime &time : cusparse.times)
    out[time.format] = orNull(figure(time));
  return out;
}

static llvm::json::Object cusparseJson(const RunOutcome &o) {
  const YardstickTime *best = o.cusparse.best();
  llvm::json::Object out{
      {"version", cusparseVersion()},
      {"best", best->format},
      {"us", best->us},
      {"ratio", best->us / o.us},
      {"all", allOf(o.cusparse, [](const YardstickTime &t) { return t.us; })},
      {"allReplay", allOf(o.cusparse, [](const YardstickTime &t) { return t.replay.us; })},
      {"prepareUs", allOf(o.cusparse, [](const YardstickTime &t) { return t.prepareUs; })}};
  const YardstickTime *replay = o.cusparse.bestReplay();
  out["replay"] = nullptr;
  if (replay && o.replay.us > 0)
    out["replay"] = llvm::json::Object{{"best", replay->format},
                                       {"us", replay->replay.us},
                                       {"ratio", replay->replay.us / o.replay.us}};
  return out;
}

llvm::json::Object runJson(const TypedMatrix &a, const Machine &machine, const Specialized &s,
                           const RunOutcome &o, int64_t products) {
  llvm::json::Object out{
      {"matrix", jsonOf(a.matrix)},
      {"type", nameOf(a.view.valueType)},
      {"signature", s.signature},
      {"chosen", jsonOf(s.built.plan)},
      {"chosenBy", nameOf(s.choice.by)},
      {"compile", llvm::json::Object{{"ms", s.setup.build.compile}, {"hit", s.built.hit}}},
      {"nvrtcLoaded", nvrtcIsLoaded()},
      {"cache", llvm::json::Object{{"hit", s.built.hit}, {"path", machine.cache.path()}}},
      {"arch", machine.arch},
      {"gpu", machine.model->name},
      {"gpuRates", ratesJson(machine.model)},
      {"target", machine.gpu ? "gpu" : "host"},
      {"device", machine.gpu ? machine.gpu->info().name : "host"},
      {"setupMs", s.setup.total()},
      {"us", o.us},
      {"usReplay", orNull(o.replay.us)},
      {"vectors", o.vectors},
      {"gbps", gbpsOf(a.view, o)},
      {"verified", o.verification.passed()},
      {"maxErrorRatio", std::min(errorRatioOf(o.verification), 1e300)}};
  out["start"] = nullptr;
  if (o.start)
    out["start"] = llvm::json::Object{{"plan", o.start->plan}, {"ms", o.start->ms}};
  out["products"] = nullptr;
  if (products > 0)
    out["products"] = llvm::json::Object{{"n", products},
                                         {"setupUs", measuredWorth(s, o).setupUs},
                                         {"totalUs", measuredWorth(s, o).totalUs(products)}};
  out["cusparse"] = nullptr;
  if (o.cusparse.best())
    out["cusparse"] = cusparseJson(o);
  out["why"] = nullptr;
  if (o.why)
    out["why"] = whyJson(*o.why, shortSentence(*o.why));
  return out;
}

static std::string startText(const RunOutcome &o) {
  return o.start ? llvm::formatv("; first product after {0} by {1}", shortTime(o.start->ms * 1000),
                                 llvm::StringRef(o.start->plan).split(' ').first)
                       .str()
                 : "";
}

static std::string setupText(const SetupTimes &t, const RunOutcome &o) {
  constexpr double kTold = 0.01; // smaller fractions of the whole are left out
  std::string text = "set-up     " + shortTime(t.total() * 1000);
  const char *separator = ": ";
  for (const auto &[name, ms] : partsOf(t))
    if (ms >= kTold * t.total())
      text += std::exchange(separator, ", ") + std::string(name) + " " + shortTime(ms * 1000);
  return text + startText(o) + "\n";
}

static std::string productText(const TypedMatrix &a, const Machine &machine, const RunOutcome &o) {
  const std::string each = o.vectors == 1
                               ? ""
                               : llvm::formatv(" of {0} vectors, {1} each", o.vectors,
                                               shortTime(o.us / static_cast<double>(o.vectors)))
                                     .str();
  return llvm::formatv("product    {0}{1} on {2}, {3}{4}\n", shortTime(o.us), each,
                       machine.gpu ? machine.gpu->info().name : "the host",
                       shortRate(gbpsOf(a.view, o)),
                       machine.gpu ? "" : ": by the host's CSR, not by the GPU's kernel");
}

static std::string replayText(const RunOutcome &o) {
  std::string text = "replays    " + shortTime(o.replay.us) + " as a CUDA graph";
  if (const YardstickTime *best = o.cusparse.bestReplay())
    text += llvm::formatv("; cuSPARSE {0} by {1}: {2:f2} times ours", shortTime(best->replay.us),
                          best->format, best->replay.us / o.replay.us);
  return text + "\n";
}

std::string runText(const TypedMatrix &a, const Machine &machine, const Specialized &s,
                    const RunOutcome &o, int64_t products) {
  std::string text;
  llvm::raw_string_ostream out(text);
  const CsrMatrix &m = a.matrix;
  out << llvm::formatv("matrix     {0}: {1} x {2}, {3} entries, {4}{5}\n", m.name, m.rows, m.cols,
                       m.nnz(), nameOf(a.view.valueType), vectorsText(o.vectors))
      << llvm::formatv("signature  {0}\n", s.signature)
      << llvm::formatv("chosen     {0} ({1})\n", planText(s.built.plan), nameOf(s.choice.by))
      << (o.why ? whyLine(*o.why) : "");
  if (s.built.hit)
    out << llvm::formatv("kernel     {0}, from {1}: nothing compiled, NVRTC {2}\n", machine.arch,
                         s.built.object ? s.built.object->place : "an earlier plan",
                         nvrtcIsLoaded() ? "loaded" : "not loaded");
  else if (s.built.object)
    out << llvm::formatv("kernel     {0}, compiled in {1} by {2}\n", machine.arch,
                         shortTime(s.setup.build.compile * 1000), s.built.object->compiler);
  else if (s.built.source.text.empty())
    out << llvm::formatv("kernel     none: a call of {0}\n", cusparseVersion());
  out << setupText(s.setup, o) << productText(a, machine, o);
  if (products > 0)
    out << llvm::formatv("products   {0} take {1}, with the set-up {2}\n", products,
                         shortTime(static_cast<double>(products) * o.us),
                         shortTime(measuredWorth(s, o).totalUs(products)));
  if (const YardstickTime *best = o.cusparse.best())
    out << llvm::formatv("cuSPARSE   {0} by {1}, the best of {2}: {3:f2} times ours\n",
                         shortTime(best->us), best->format, cusparseVersion(), best->us / o.us);
  if (o.replay.us > 0)
    out << replayText(o);
  if (o.verification.passed())
    out << llvm::formatv(
        "verified   {0}exact, and rounded to {1:f3} of the bound{2}\n",
        o.vectors == 1 ? "" : "all vectors: ", o.verification.rounded.maxErrorRatio,
        machine.gpu ? "" : ", by the host's CSR");
  return text;
}

} // namespace specmv::cli
