// Turns fits into changes of a GPU's model.
#include "runtime/calibrate/model.h"

#include "models/base/error.h"
#include "runtime/calibrate/work.h"

namespace specmv {

static void fitOurs(llvm::ArrayRef<Measured> all, const GpuModel &start, Calibrated &out) {
  std::vector<const Measured *> pointers;
  pointers.reserve(all.size());
  for (const Measured &each : all)
    pointers.push_back(&each);
  out.fit = fit(pointers, start);
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

Calibrated calibrated(llvm::ArrayRef<Measured> all, const GpuModel &start,
                      const std::string &source) {
  Calibrated out;
  out.changes.source = source;
  fitOurs(all, start, out);
  out.changes.benchmarks = fittedBenchmarks(all, start, source, out.notes);
  return out;
}

} // namespace specmv
