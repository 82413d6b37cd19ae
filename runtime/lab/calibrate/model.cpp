// Turns the results of fits into changes of a GPU's model.
#include "runtime/lab/calibrate/model.h"

#include "models/base/error.h"
#include "runtime/lab/calibrate/work.h"

namespace specmv {

namespace {
struct ToldByCurves {
  const char *name;
  double GpuModel::*member;
  double (*value)(const Curves &);
};
} // namespace

constexpr ToldByCurves kToldByCurves[] = {
    {"dramGBs", &GpuModel::dramGBs, [](const Curves &c) { return c.copyGBs; }},
    {"periodUs", &GpuModel::periodUs, [](const Curves &c) { return c.periodUs.median; }}};

GpuModel withCurves(GpuModel gpu, const Curves &curves) {
  for (const ToldByCurves &told : kToldByCurves)
    gpu.*told.member = told.value(curves);
  gpu.curves = curves;
  return gpu;
}

std::vector<std::string> namesSetBy(const std::optional<Curves> &curves) {
  std::vector<std::string> out;
  for (const ToldByCurves &told : kToldByCurves)
    if (curves)
      out.emplace_back(told.name);
  return out;
}

static void fitOurs(llvm::ArrayRef<Measured> all, const GpuModel &start, Calibrated &out) {
  std::vector<const Measured *> pointers;
  pointers.reserve(all.size());
  for (const Measured &each : all)
    pointers.push_back(&each);
  out.fit = fit(pointers, start, {.left = namesSetBy(start.curves)});
  const Rates &rates = out.fit.model.rates;
  for (const std::string &name : out.fit.moved)
    if (rates.contains(name))
      out.changes.numbers["rates." + name] = rates[name];
    else
      for (const auto &[member, pointer] : fittedMembers())
        if (name == member)
          out.changes.numbers[name] = out.fit.model.*pointer;
}

std::optional<Benchmarks> fittedBenchmarks(llvm::ArrayRef<Measured> all, const GpuModel &gpu,
                                           const std::string &source,
                                           std::vector<std::string> &notes) {
  Benchmarks benchmarks{.source = source, .fitted = {}};
  for (const BenchmarkTimes &times : benchmarkTimes(all, gpu)) {
    auto fitted = fitBenchmarks(times);
    if (fitted)
      benchmarks.fitted.push_back(*fitted);
    else
      notes.push_back(describe(fitted.takeError()).second);
  }
  return benchmarks.fitted.empty() ? std::nullopt : std::optional(std::move(benchmarks));
}

static void takeCurves(const Curves &curves, GpuChanges &changes) {
  for (const ToldByCurves &told : kToldByCurves)
    changes.numbers[told.name] = told.value(curves);
  changes.curves = curves;
  changes.curves->source = changes.source;
}

Calibrated calibrated(llvm::ArrayRef<Measured> all, const GpuModel &start,
                      const std::string &source, const std::optional<Curves> &curves) {
  Calibrated out;
  out.changes.source = source;
  if (curves)
    takeCurves(*curves, out.changes);
  if (const std::string kept = keptFromFits(all); !kept.empty())
    out.notes.push_back(kept);
  fitOurs(all, curves ? withCurves(start, *curves) : start, out);
  out.changes.benchmarks = fittedBenchmarks(all, start, source, out.notes);
  return out;
}

} // namespace specmv
