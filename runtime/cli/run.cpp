// The verb run: specialize, multiply, verify, and compare with cuSPARSE where there is a GPU.
#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"
#include "runtime/cli/why.h"

#include "models/base/decimal.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/cusparse/cusparse.h"
#include "runtime/cusparse/yardstick.h"
#include "runtime/explain/sentence.h"
#include "runtime/first_product.h"
#include "runtime/host_product.h"
#include "runtime/measure/checked_product.h"
#include "runtime/measure/stopwatch.h"
#include "runtime/specialize.h"
#include "runtime/worth.h"

#include <algorithm>

namespace specmv::cli {

namespace {
// The product that could be launched before the set-up: by which plan, and after how long.
struct Start {
  std::string plan;
  double ms = 0;
};
struct Outcome {
  std::optional<Start> start; // of --start now
  double us = 0;
  Verification verification;
  Yardstick cusparse;
  Explanation why;
};
} // namespace

// nullopt if it is not asked for, or if the set-up must be waited for. On the host there is no
// other product.
static llvm::Expected<std::optional<Start>> startOf(const Options &options, const CsrView &a,
                                                    const Problem &problem, Machine &machine) {
  if (!options.startNow)
    return std::nullopt;
  if (!machine.gpu)
    return Start{.plan = "csr"};
  double ms = 0;
  auto first = timed(ms, [&] { return firstProduct(a, problem, machine); });
  if (!first)
    return first.takeError();
  if (!*first)
    return std::nullopt;
  return Start{(*first)->plan.text(), ms};
}

// The profile, if the set-up did without it.
static llvm::Expected<SparsityProfile> profileAfter(const Specialized &s, const CsrView &a,
                                                    Machine &machine) {
  if (s.profile)
    return *s.profile;
  auto profiled = profileMatrix(a, machine);
  if (!profiled)
    return profiled.takeError();
  return std::move(profiled->profile);
}

// The chosen product and all of cuSPARSE's, on the same vectors.
static llvm::Error timeOnGpu(const CsrView &a, const Problem &problem, Machine &machine,
                             const Specialized &s, Outcome &out) {
  auto vectors = DeviceVectors::make(*machine.gpu, a.rows, a.cols, a.valueType);
  if (!vectors)
    return vectors.takeError();
  auto us = measureWarm(*machine.gpu, enqueue(*s.built.product, *vectors));
  if (!us)
    return us.takeError();
  out.us = *us;
  auto profile = profileAfter(s, a, machine);
  if (!profile)
    return profile.takeError();
  auto cusparse = measureCusparse(a, *profile, problem, machine, *vectors);
  if (!cusparse)
    return cusparse.takeError();
  out.cusparse = std::move(*cusparse);
  if (out.cusparse.times.empty() && !out.cusparse.notes.empty())
    note("no comparison with cuSPARSE: " + out.cusparse.notes.front());
  return llvm::Error::success();
}

static double timeOnHost(const CsrView &a, int64_t products) {
  Values x(a.valueType, a.cols), y(a.valueType, a.rows);
  double ms = 0;
  timed(ms, [&] {
    for (int64_t i = 0; i < products; ++i)
      multiplyOnHost(a, 1, x.data(), 0, y.data());
  });
  return ms * 1000 / static_cast<double>(products);
}

static llvm::Expected<Outcome> multiplyAndVerify(const CsrView &a, const Options &options,
                                                 Machine &machine, Specialized &s) {
  Outcome out;
  if (machine.gpu) {
    if (llvm::Error error = timeOnGpu(a, {a.valueType, !options.betaIsZero}, machine, s, out))
      return error;
  } else {
    out.us = timeOnHost(a, options.hostProducts);
  }
  auto verification = Verifier(a, !options.betaIsZero).check(checkedProduct(a, machine, s.built));
  if (!verification)
    return verification.takeError();
  out.verification = *verification;
  return out;
}

static double gbpsOf(const CsrView &a, double us) {
  return us > 0 ? static_cast<double>(csrBytes(a)) / us / 1000 : 0;
}

// What was measured, in place of predictions.
static Worth measuredWorth(const Specialized &s, const Outcome &o) {
  return {.productUs = o.us, .setupUs = s.setup.total() * 1000};
}

static double errorRatioOf(const Verification &v) {
  return std::max(v.exact.maxErrorRatio, v.rounded.maxErrorRatio);
}

static llvm::json::Object allOf(const Yardstick &cusparse) {
  llvm::json::Object out;
  for (const YardstickTime &time : cusparse.times)
    out[time.format] = time.us;
  return out;
}

static llvm::json::Value runJson(const TypedMatrix &a, const Machine &machine, const Specialized &s,
                                 const Outcome &o, int64_t products) {
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
      {"gpu", machine.model.name},
      {"gpuRates", ratesJson(machine.model)},
      {"target", machine.gpu ? "gpu" : "host"},
      {"device", machine.gpu ? machine.gpu->info().name : "host"},
      {"setupMs", s.setup.total()},
      {"us", o.us},
      {"gbps", gbpsOf(a.view, o.us)},
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
  if (const YardstickTime *best = o.cusparse.best())
    out["cusparse"] = llvm::json::Object{{"best", best->format},
                                         {"us", best->us},
                                         {"ratio", best->us / o.us},
                                         {"all", allOf(o.cusparse)}};
  out["why"] = whyJson(o.why, shortSentence(o.why));
  return out;
}

static std::string startText(const Outcome &o) {
  return o.start ? llvm::formatv("; first product after {0:f1} ms by {1}", o.start->ms,
                                 llvm::StringRef(o.start->plan).split(' ').first)
                       .str()
                 : "";
}

static std::string runText(const TypedMatrix &a, const Machine &machine, const Specialized &s,
                           const Outcome &o, int64_t products) {
  std::string text;
  llvm::raw_string_ostream out(text);
  const CsrMatrix &m = a.matrix;
  out << llvm::formatv("matrix     {0}: {1} x {2}, {3} entries, {4}\n", m.name, m.rows, m.cols,
                       m.nnz(), nameOf(a.view.valueType))
      << llvm::formatv("signature  {0}\n", s.signature)
      << llvm::formatv("chosen     {0} ({1})\n", s.built.plan.text(), nameOf(s.choice.by))
      << whyLine(o.why);
  if (s.built.hit)
    out << llvm::formatv("kernel     {0}, from the cache: nothing compiled, NVRTC {1}\n",
                         machine.arch, nvrtcIsLoaded() ? "loaded" : "not loaded");
  else if (!s.built.object.cubin.empty())
    out << llvm::formatv("kernel     {0}, compiled in {1:f1} ms by {2}\n", machine.arch,
                         s.setup.build.compile, s.built.object.compiler);
  else if (s.built.source.text.empty())
    out << llvm::formatv("kernel     none: a call of {0}\n", cusparseVersion());
  out << llvm::formatv("set-up     {0:f1} ms: profile {1:f1}, predict {2:f1}, pack {3:f1}, emit "
                       "{4:f1}, compile {5:f1}, load {6:f1}, measure {7:f1}{8}\n",
                       s.setup.total(), s.setup.profile, s.setup.predict, s.setup.build.pack,
                       s.setup.build.emit, s.setup.build.compile, s.setup.build.load,
                       s.setup.measure, startText(o))
      << llvm::formatv("product    {0:f2} us on {1}, {2:f1} GB/s\n", o.us,
                       machine.gpu ? machine.gpu->info().name : "the host", gbpsOf(a.view, o.us));
  if (products > 0)
    out << llvm::formatv("products   {0} take {1:f2} ms, with the set-up {2:f2} ms\n", products,
                         static_cast<double>(products) * o.us / 1000,
                         measuredWorth(s, o).totalUs(products) / 1000);
  if (const YardstickTime *best = o.cusparse.best())
    out << llvm::formatv("cuSPARSE   {0:f2} us by {1}, its best: {2:f2} times ours\n", best->us,
                         best->format, best->us / o.us);
  if (o.verification.passed())
    out << llvm::formatv("verified   exact, and rounded to {0:f3} of the bound{1}\n",
                         o.verification.rounded.maxErrorRatio,
                         machine.gpu ? "" : ", by the host's CSR");
  return text;
}

static llvm::Error wrongProduct(const Verification &v) {
  const CheckResult &bad = v.exact.passed ? v.rounded : v.exact;
  return fail(Status::badInput, "the product is wrong ({0} check): y[{1}] is {2}, but must be {3}",
              v.exact.passed ? "rounded" : "exact", bad.row, decimalText(bad.got),
              decimalText(bad.want));
}

// The messages of SPECMV_LOG=debug: where things came from, and ptxas's messages about the kernel.
static void detailRun(const Machine &machine, const Specialized &s) {
  debug("cache " + machine.cache.path());
  debug("object " + s.built.key.id + (s.built.hit ? ", found" : ", compiled"));
  for (const Candidate &c : s.ranked.candidates)
    debug(llvm::formatv("predicted {0:f2} us: {1}", c.predictedUs, c.plan.text()));
  if (!s.built.object.log.empty())
    debug(s.built.object.log);
}

// Runs for one type and tells the outcome; `wrong` gets the error of a product that is not right.
static llvm::Expected<Result> runType(const Options &options, Task &task, ValueType type,
                                      llvm::Error &wrong) {
  Machine &machine = task.machine;
  const TypedMatrix a(task.matrix, type);
  const Request request = weighingRequestOf(options, type);
  auto start = startOf(options, a.view, request.problem, machine);
  if (!start)
    return start.takeError();
  auto s = specialize(a.view, request, machine);
  if (!s) { // a pack that cannot be read may be why
    warnAll(machine.cache.takeWarnings());
    return s.takeError();
  }
  warnAll(s->warnings);
  warnAll(machine.cache.takeWarnings());
  detailRun(machine, *s);
  if (!machine.gpu)
    note("multiplying on the host with plain CSR: " + machine.whyHost);
  auto outcome = multiplyAndVerify(a.view, options, machine, *s);
  if (!outcome)
    return outcome.takeError();
  outcome->start = std::move(*start);
  outcome->why =
      explanationOf(a.view, request, machine, *s, machine.gpu ? outcome->us : 0, outcome->cusparse);
  if (!outcome->verification.passed())
    wrong = llvm::joinErrors(std::move(wrong), wrongProduct(outcome->verification));
  return options.json ? Result{runJson(a, machine, *s, *outcome, options.products)}
                      : Result{nullptr, runText(a, machine, *s, *outcome, options.products)};
}

llvm::Error runVerb(const Options &options) {
  auto task = taskOf(options);
  if (!task)
    return task.takeError();
  noteRates(task->machine);
  llvm::Error failed = llvm::Error::success();
  std::vector<Result> results;
  for (ValueType type : options.types) {
    auto result = runType(options, *task, type, failed);
    if (result)
      results.push_back(std::move(*result));
    else // the results of the other types are still written
      failed = llvm::joinErrors(std::move(failed), result.takeError());
  }
  if (results.empty())
    return failed;
  return llvm::joinErrors(std::move(failed), writeResults(options, results));
}

} // namespace specmv::cli
