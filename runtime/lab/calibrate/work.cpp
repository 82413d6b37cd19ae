// Lists the matrices of a calibration, and turns the results of fits into changes of a model.
#include "runtime/lab/calibrate/work.h"

#include "generator/format.h"
#include "models/base/error.h"
#include "models/lab/families/spec.h"
#include "models/predict/strips/kernels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

namespace specmv {

// --- Work ----------------------------------------------------------------------------------------

// Lists the matrices of a calibration, and finds the papers' kernels in measurements.

// A few matrices of every family: within L2 and beyond, with short and long rows, in good and bad
// orders. None is in the bench's suites, because those judge what is fitted here.
constexpr const char *kFamilySpecs[] = {
    "stencil5:n=1400",
    "stencil9:nx=900,ny=1300",
    "stencil7:nx=110,ny=90,nz=130",
    "stencil27:n=60",
    "elasticity:nx=30,ny=40,nz=50",
    "band:k=9,half=300,rows=400000",
    "band:k=25,half=6000,rows=900000",
    "random:k=7,rows=700000",
    "random:k=40,spread=0.5,rows=300000",
    "random:k=12,rows=40000,cols=2000000",
    "blocks:b=2,k=12,band=900,rows=500000",
    "blocks:b=5,k=9,band=200,rows=300000",
    "powerlaw:rows=900000,avg=6,alpha=2,max=5000",
    "powerlaw:rows=300000,avg=25,alpha=2.6,max=3000",
    "rmat:scale=18,edge=12",
    "circuit:rows=800000,avg=5,rails=12,share=0.15",
    "fem2d:rows=900000",
    "fem2d:rows=600000,order=random",
    "lp:rows=1800,cols=400000,avg=2000",
    "lp:rows=9000,cols=200000,avg=300",
    "spike:rows=700000,k=5,spikes=6,length=90000",
    "spike:rows=80000,k=30,spikes=3,length=20000",
    "dense:rows=300,cols=20000",
    "dense:rows=90000,cols=90",
    "mycielskian:k=13",
    "epidemic:n=1300",
    "qcd:l=11",
    "chessboard:m=7,n=8,k=4",
    "web:rows=700000,avg=14",
    "features:rows=400000",
    "widetable:rows=9000,cols=300000",
    "hypersparse:rows=6000000,filled=0.15,k=5",
    "hypersparse:rows=2000000,filled=0.4,k=12,half=400",
    "arrow:rows=400000",
    "fem3d:n=70",
    "fem3d:n=50,order=random",
    "coupled:n=45",
    "dg:n=14,b=10",
    "dg:n=200,dim=2,b=6",
    "communities:rows=500000,avg=17,size=300,hubs=120,degree=3000",
    "rowlengths:dist=poisson,mean=9,rows=900000,columns=windows",
    "rowlengths:dist=uniform,mean=20,rows=300000,columns=blocks",
    "rowlengths:dist=normal,mean=45,rows=150000,columns=uniform",
    "stencil7:nx=120,ny=100,nz=80,boundary=periodic",
};

static Fixed fixedOf(const StripsKernelFacts &facts) {
  return facts.lanes ? Fixed{{key::kCsrLanes.name, static_cast<double>(facts.lanes)}} : Fixed{};
}

// Returns true if the matrix is on a fitted line; planes need all matrices. If the rows are so long
// that the line's number of strips has too many entries, that is the line of one strip.
static bool isOnLine(const StripsKernelFacts &facts, const BenchmarkMatrix &matrix,
                     PapersGrid grid) {
  if (facts.form != StripsForm::ratio)
    return true;
  const bool isLong = matrix.entriesOfRow >= kRegimeEnd;
  if (grid == PapersGrid::full)
    return matrix.i == facts.at.upTo1024.i || matrix.entriesOfRow == facts.at.upTo1024.z ||
           matrix.entriesOfRow == facts.at.above1024.z;
  return matrix.i == (isLong ? 1 : facts.at.upTo1024.i) ||
         matrix.entriesOfRow == (isLong ? facts.at.above1024.z : facts.at.upTo1024.z);
}

// Two lines that cross above 1,024 entries per row need larger matrices.
static int64_t mostEntriesFor(const StripsKernelFacts &facts, int64_t mostEntries,
                              PapersGrid grid) {
  return facts.form == StripsForm::ratio && grid == PapersGrid::lines ? 4 * mostEntries
                                                                      : mostEntries;
}

static std::string specOf(const BenchmarkMatrix &matrix, RowLaw law) {
  return llvm::formatv("rowlengths:dist={0},mean={1},rows={2},columns=band", nameOf(law),
                       matrix.entriesOfRow, matrix.rows);
}

// A matrix that several kernels use is listed once.
static void addBenchmarks(const StripsKernelFacts &facts, RowLaw law, const GpuModel &gpu,
                          int64_t mostEntries, PapersGrid grid, std::vector<CalibrationItem> &out) {
  for (const BenchmarkMatrix &matrix :
       benchmarkMatrices(facts.kernel, gpu, mostEntriesFor(facts, mostEntries, grid))) {
    if (!isOnLine(facts, matrix, grid) || 2 * matrix.entriesOfRow > matrix.rows)
      continue;
    CalibrationItem item{
        specOf(matrix, law), {facts.format}, fixedOf(facts), matrix.rows * matrix.entriesOfRow};
    const auto same = llvm::find_if(out, [&](const CalibrationItem &other) {
      return other.spec == item.spec && other.fixed == item.fixed;
    });
    if (same == out.end())
      out.push_back(std::move(item));
    else if (!llvm::is_contained(same->formats, facts.format))
      same->formats.emplace_back(facts.format);
  }
}

std::vector<CalibrationItem> calibrationWork(const GpuModel &gpu, int64_t mostEntries,
                                             PapersGrid grid) {
  std::vector<CalibrationItem> out;
  for (const char *spec : kFamilySpecs)
    out.push_back({spec});
  for (const RowLaw law : kRowLaws)
    for (const StripsKernelFacts &facts : stripsKernels())
      if (llvm::is_contained(facts.laws, law))
        addBenchmarks(facts, law, gpu, mostEntries, grid, out);
  if (grid == PapersGrid::full)
    llvm::stable_sort(out, [](const CalibrationItem &a, const CalibrationItem &b) {
      return a.entries < b.entries;
    });
  return out;
}

std::vector<CalibrationItem> partOf(llvm::ArrayRef<CalibrationItem> items, int64_t index,
                                    int64_t count) {
  std::vector<CalibrationItem> out;
  for (const auto &[i, item] : llvm::enumerate(items))
    if (static_cast<int64_t>(i) % count == index)
      out.push_back(item);
  return out;
}

std::vector<std::string> formatsToMeasure(const CalibrationItem &item) {
  std::vector<std::string> out = item.formats;
  for (const Format &format : formats())
    if (item.formats.empty() && whyNotByItself(format).empty())
      out.emplace_back(format.name);
  return out;
}

// --- Measurements

namespace {
// A benchmark matrix, parsed from its name.
struct Named {
  RowLaw law = RowLaw::fixed;
  int64_t rows = 0, entriesOfRow = 0;
};
} // namespace

static std::optional<Named> benchmarkNamed(const std::string &matrix) {
  auto spec = parseSpec(matrix);
  if (!spec) {
    llvm::consumeError(spec.takeError());
    return std::nullopt;
  }
  std::map<std::string, std::string> given(spec->options.begin(), spec->options.end());
  const auto number = [&](const char *key) {
    int64_t value = 0;
    return llvm::StringRef(given[key]).getAsInteger(10, value) ? 0 : value;
  };
  const auto *const law =
      llvm::find_if(kRowLaws, [&](RowLaw each) { return given["dist"] == nameOf(each); });
  const Named out{law == std::end(kRowLaws) ? RowLaw::fixed : *law, number("rows"), number("mean")};
  const bool isOne = spec->name == "rowlengths" && given["columns"] == "band" &&
                     law != std::end(kRowLaws) && out.rows > 0 && out.entriesOfRow > 0;
  return isOne ? std::optional(out) : std::nullopt;
}

static bool isKernelOf(const StripsKernelFacts &facts, const Plan &plan) {
  return plan.format == facts.format &&
         (facts.lanes == 0 || plan.get(key::kCsrLanes, 0) == facts.lanes);
}

// The strips of COO consist of entries: one strip of rows has as many as a row has entries.
static std::optional<BenchmarkTime> benchmarkTimeOf(const StripsKernelFacts &facts,
                                                    const Named &named, const Measured &measured,
                                                    const GpuModel &gpu) {
  const int64_t size = stripSize(facts.kernel, gpu);
  if (named.rows % size != 0)
    return std::nullopt;
  for (const MeasuredPlan &each : measured.plans)
    if (isKernelOf(facts, each.plan))
      return BenchmarkTime{named.rows / size, named.entriesOfRow, each.us};
  return std::nullopt;
}

// The later of two measurements of a matrix counts.
static void put(const BenchmarkTime &time, std::vector<BenchmarkTime> &times) {
  const auto same = llvm::find_if(times, [&](const BenchmarkTime &other) {
    return other.i == time.i && other.entriesOfRow == time.entriesOfRow;
  });
  if (same == times.end())
    times.push_back(time);
  else
    *same = time;
}

std::vector<BenchmarkTimes> benchmarkTimes(llvm::ArrayRef<Measured> all, const GpuModel &gpu) {
  std::vector<BenchmarkTimes> out;
  for (const StripsKernelFacts &facts : stripsKernels())
    for (const RowLaw law : facts.laws)
      for (const ValueType type : {ValueType::f32, ValueType::f64})
        out.push_back({facts.kernel, law, type, {}});
  for (const Measured &measured : all) {
    const auto named = benchmarkNamed(measured.matrix);
    for (BenchmarkTimes &times : out) {
      const StripsKernelFacts &facts = factsOf(times.kernel);
      if (!named || named->law != times.law || measured.type != times.type ||
          facts.form == StripsForm::sum ||
          !llvm::is_contained(facts.strips,
                              named->rows / std::max<int64_t>(1, stripSize(times.kernel, gpu))))
        continue;
      if (auto time = benchmarkTimeOf(facts, *named, measured, gpu))
        put(*time, times.times);
    }
  }
  llvm::erase_if(out, [](const BenchmarkTimes &times) { return times.times.empty(); });
  return out;
}

// --- Model ---------------------------------------------------------------------------------------

// Turns the results of fits into changes of a GPU's model.

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
