// Tests of a calibration's measurements, and of finding the papers' kernels in them again.
#include "runtime/lab/calibrate/work.h"

#include "models/base/error.h"
#include "models/lab/families/families.h"
#include "models/predict/strips/strips.h"
#include "runtime/lab/calibrate/curves.h"

#include <doctest/doctest.h>

#include <set>

using namespace specmv;

namespace {

constexpr int64_t kMost = int64_t{1} << 25;

GpuModel calibratedGpu() { return llvm::cantFail(loadGpuModel("h200")); }

// The times of every benchmark matrix of a kernel: 3 us for each entry per row and strip, plus 20
// us.
std::vector<Measured> measuredOn(const GpuModel &gpu) {
  std::vector<Measured> out;
  for (const CalibrationItem &item : calibrationWork(gpu, kMost)) {
    if (familyOf(item.spec) != "rowlengths")
      continue;
    const auto spec = llvm::cantFail(parseSpec(item.spec));
    const auto number = [&](const char *key) {
      for (const auto &[name, value] : spec.options)
        if (name == key)
          return std::stod(value);
      return 0.0;
    };
    const double strips = number("rows") / static_cast<double>(gpu.sms * gpu.threadsPerSm);
    for (const ValueType type : {ValueType::f32, ValueType::f64}) {
      Measured m{.matrix = item.spec, .type = type};
      for (const std::string &format : item.formats) {
        Plan plan{.format = format};
        for (const auto &[name, value] : item.fixed)
          plan.integers.emplace_back(name, static_cast<int64_t>(value));
        m.plans.push_back({plan, 20 + 3 * number("mean") * strips});
      }
      out.push_back(std::move(m));
    }
  }
  return out;
}

} // namespace

TEST_CASE("a calibration measures formats that are on trial, and no others that must be named") {
  const std::vector<std::string> all = formatsToMeasure({"stencil5:n=9"});
  for (const Format &format : formats())
    CHECK(llvm::is_contained(all, std::string(format.name)) == whyNotByItself(format).empty());
  CHECK(llvm::is_contained(all, "sell-bytes")); // whose rates some built-in models lack
  CHECK(formatsToMeasure({"stencil5:n=9", {"ell", "coo"}}) ==
        std::vector<std::string>{"ell", "coo"});
}

TEST_CASE("every matrix of a calibration is one of a family, and none is listed twice") {
  std::set<std::string> seen;
  for (const CalibrationItem &item : calibrationWork(calibratedGpu(), kMost)) {
    CAPTURE(item.spec);
    const Spec spec = llvm::cantFail(parseSpec(item.spec));
    const auto *const family =
        llvm::find_if(families(), [&](const Family &each) { return each.name == spec.name; });
    REQUIRE(family != families().end());
    CHECK_FALSE(family->unseen);
    CHECK(static_cast<bool>(readOptions(spec, family->keys)));
    const double lanes = item.fixed.empty() ? 0 : item.fixed.front().second;
    CHECK(seen.insert(item.spec + " " + std::to_string(lanes)).second);
    for (const std::string &format : item.formats)
      CHECK(findFormat(format));
  }
  CHECK(seen.size() > 100);
}

TEST_CASE("fewer entries leave out benchmark matrices, not families") {
  const auto few = calibrationWork(calibratedGpu(), 1 << 20),
             many = calibrationWork(calibratedGpu(), kMost);
  const auto ofFamilies = [](const std::vector<CalibrationItem> &items) {
    return llvm::count_if(items, [](const CalibrationItem &item) { return item.formats.empty(); });
  };
  CHECK(few.size() < many.size());
  CHECK(ofFamilies(few) == ofFamilies(many));
  CHECK(ofFamilies(few) >= 30);
}

TEST_CASE("the full grid has every P_NZ and I that the papers print for a fitted line") {
  const auto full = calibrationWork(calibratedGpu(), int64_t{1} << 40, PapersGrid::full);
  const auto has = [&](const char *law, int64_t mean, int64_t rows, const char *format) {
    const std::string spec =
        llvm::formatv("rowlengths:dist={0},mean={1},rows={2},columns=band", law, mean, rows);
    return llvm::any_of(full, [&](const CalibrationItem &item) {
      return item.spec == spec && llvm::is_contained(item.formats, format);
    });
  };
  constexpr int64_t kWarps = 132 * 64, kThreads = 132 * 2048; // of an H200
  for (int64_t i = 1; i <= 10; ++i) {
    for (const char *law : {"fixed", "poisson", "uniform", "normal"})
      for (const char *format : {"csr-scalar", "ell", "jad"})
        for (int64_t mean = 4; mean <= 1024; mean *= 2)
          CHECK(has(law, mean, i * kThreads, format));
    for (const int64_t mean : {4, 16, 64, 256, 1024, 2048, 4096, 8192})
      CHECK(has("fixed", mean, i * kThreads, "ell"));
    CHECK(has("fixed", 64, i * kWarps, "csr-vector"));
  }
  for (const int64_t mean : {4, 64, 128, 1024, 1536, 3072})
    CHECK(has("normal", mean, 40 * 2 * kWarps, "csr-vector")); // the paper's line, I = 40
  CHECK(has("normal", 2048, 50 * 2 * kWarps, "csr-vector"));
  CHECK_FALSE(has("normal", 3072, 2 * kWarps, "csr-vector")); // on no line
  CHECK(calibrationWork(calibratedGpu(), kMost).size() < full.size());
}

TEST_CASE("the parts of a full grid are about equally large, and together the whole") {
  const auto full = calibrationWork(calibratedGpu(), int64_t{1} << 31, PapersGrid::full);
  const auto entriesOf = [](const std::vector<CalibrationItem> &items) {
    double sum = 0;
    for (const CalibrationItem &item : items)
      sum += static_cast<double>(item.entries);
    return sum;
  };
  CHECK(llvm::is_sorted(full, [](const CalibrationItem &a, const CalibrationItem &b) {
    return a.entries < b.entries;
  }));
  CHECK(partOf(full, 0, 1) == full);
  std::vector<CalibrationItem> together(full.size());
  for (int64_t part = 0; part < 4; ++part) {
    const auto items = partOf(full, part, 4);
    CHECK(entriesOf(items) == doctest::Approx(entriesOf(full) / 4).epsilon(0.1));
    for (size_t i = 0; i < items.size(); ++i)
      together[(4 * i) + part] = items[i];
  }
  CHECK(together == full);
  CHECK(partOf(full, 1, static_cast<int64_t>(full.size()) + 1) == std::vector{full[1]});
}

TEST_CASE("the times of the papers' kernels are found by the names of their matrices") {
  const GpuModel gpu = calibratedGpu();
  const std::vector<Measured> all = measuredOn(gpu);
  const std::vector<BenchmarkTimes> found = benchmarkTimes(all, gpu);
  std::set<std::tuple<StripsKernel, RowLaw, ValueType>> kinds;
  for (const BenchmarkTimes &times : found) {
    CHECK(kinds.emplace(times.kernel, times.law, times.type).second);
    CHECK_MESSAGE(static_cast<bool>(fitBenchmarks(times)), std::string(factsOf(times.kernel).name));
  }
  size_t wanted = 0;
  for (const StripsKernelFacts &facts : stripsKernels())
    wanted += facts.form == StripsForm::sum ? 0 : 2 * facts.laws.size();
  CHECK(kinds.size() == wanted);
}

TEST_CASE("of a benchmark matrix that was measured twice the later time counts") {
  const GpuModel gpu = calibratedGpu();
  std::vector<Measured> twice = measuredOn(gpu);
  const std::vector<Measured> once = twice;
  for (Measured &earlier : twice)
    for (MeasuredPlan &each : earlier.plans)
      each.us *= 3;
  twice.insert(twice.end(), once.begin(), once.end());
  const auto found = benchmarkTimes(twice, gpu), wanted = benchmarkTimes(once, gpu);
  REQUIRE(found.size() == wanted.size());
  for (size_t k = 0; k < found.size(); ++k) {
    REQUIRE(found[k].times.size() == wanted[k].times.size());
    for (size_t i = 0; i < found[k].times.size(); ++i)
      CHECK(found[k].times[i].us == wanted[k].times[i].us);
  }
}

TEST_CASE("a calibration fits the papers' models to their matrices") {
  const GpuModel gpu = calibratedGpu();
  std::vector<std::string> notes;
  GpuModel with = gpu;
  with.benchmarks = fittedBenchmarks(measuredOn(gpu), gpu, "a test", notes);
  REQUIRE(with.benchmarks);
  CHECK(with.benchmarks->source == "a test");
  CHECK(notes == std::vector<std::string>());
  // ELL: a strip has as many rows as the GPU has threads
  const StripsTarget target{.rows = 5 * gpu.sms * gpu.threadsPerSm, .longest = 40};
  const auto us =
      stripsUs(StripsKernel::ell, target, with, ValueType::f64, StripsVariant::corrected);
  REQUIRE(us);
  CHECK(*us == doctest::Approx(20 + 3 * 40 * 5));
}

TEST_CASE("names of other matrices are no benchmark matrices") {
  const GpuModel gpu = calibratedGpu();
  for (const char *name : {"bcsstk04", "random:rows=270336,k=8", "rowlengths:dist=fixed,mean=8",
                           "rowlengths:dist=fixed,mean=8,rows=270337", "rowlengths:mean=", ""}) {
    const Measured m{.matrix = name, .plans = {{{.format = "ell"}, 5}}};
    CHECK(benchmarkTimes(m, gpu).empty());
  }
}

TEST_CASE("a GPU that takes turns is busy, and one with a few late answers is not") {
  std::vector<double> quiet(300, 20);
  quiet[7] = 500;
  CHECK(shareOfDelayed(quiet) <= kMostDelayed);
  std::vector<double> shared = quiet;
  for (size_t i = 0; i < shared.size(); i += 10)
    shared[i] = 2000;
  CHECK(shareOfDelayed(shared) > kMostDelayed);
  CHECK(shareOfDelayed({}) == 0);
}
