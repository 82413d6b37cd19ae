// Measures a matrix: the plans of each format and the choice, one after another.
#include "runtime/lab/bench/bench.h"

#include "runtime/host_product.h"
#include "runtime/lab/yardstick/contender.h"
#include "runtime/lab/yardstick/yardstick.h"
#include "runtime/measure/measure.h"

#include <algorithm>
#include <numeric>

namespace specmv {

// --- Checked product -----------------------------------------------------------------------------

// Runs a built plan on given vectors, so that its result can be checked.

// Runs the product with vectors on the GPU.
static llvm::Error run(const GpuProduct &product, double alpha, DevicePointer x, double beta,
                       DevicePointer y, int64_t vectors) {
  if (vectors == 1)
    return product.run(alpha, x, beta, y, nullptr);
  const SeveralVectors several{vectors, x, vectors, 1, y, vectors, 1};
  auto rows = product.gpu().allocate(product.bytesOfRows(several));
  if (!rows)
    return rows.takeError();
  if (llvm::Error error = product.run({alpha, beta}, several, rows->pointer(), nullptr))
    return error;
  return product.gpu().synchronize(nullptr); // the rows must live until then
}

static llvm::Error runOnGpu(const GpuDevice &gpu, const Built &built, double alpha, const Values &x,
                            double beta, Values &y, int64_t vectors) {
  auto dx = gpu.uploaded(x.data(), x.bytes());
  if (!dx)
    return dx.takeError();
  auto dy = gpu.uploaded(y.data(), y.bytes());
  if (!dy)
    return dy.takeError();
  if (llvm::Error error = run(*built.product, alpha, dx->pointer(), beta, dy->pointer(), vectors))
    return error;
  return gpu.download(y.data(), dy->pointer(), y.bytes());
}

// Packs from the matrix again, since the packed values are on the GPU only.
static llvm::Error packAgain(const CsrView &a, Machine &machine, Built &built) {
  auto again = build(a, built.plan, built.problem, machine);
  if (!again)
    return again.takeError();
  built.product = std::move(again->product);
  return llvm::Error::success();
}

static void runOnHost(const CsrView &a, double alpha, const Values &x, double beta, Values &y,
                      int64_t vectors) {
  if (vectors == 1)
    multiplyOnHost(a, alpha, x.data(), beta, y.data());
  else
    multiplyOnHost(a, alpha, {vectors, x.data(), vectors, 1, y.data(), vectors, 1}, beta);
}

ProductUnderTest checkedProduct(const CsrView &a, Machine &machine, Built &built, int64_t vectors) {
  auto current = std::make_shared<CsrView>(a);
  auto setValues = [current, &machine, &built](const Values &values) -> llvm::Error {
    current->val = values.data();
    if (!machine.gpu)
      return llvm::Error::success();
    if (!built.layout.isOnHost)
      return packAgain(*current, machine, built);
    storeValues(built.layout, *current);
    return built.product->updateValues(built.layout);
  };
  auto multiply = [current, &machine, &built, vectors](double alpha, const Values &x, double beta,
                                                       Values &y) -> llvm::Error {
    if (machine.gpu)
      return runOnGpu(*machine.gpu, built, alpha, x, beta, y, vectors);
    runOnHost(*current, alpha, x, beta, y, vectors);
    return llvm::Error::success();
  };
  return {setValues, multiply, vectors};
}

// --- Bench ---------------------------------------------------------------------------------------

// Measures a matrix: the plans of each format and the choice, one after another on the same
// vectors, each product checked and run several times for equal bits.

static double launchedUs(const BenchLine &line) { return line.us; }
static double replayedUs(const BenchLine &line) { return line.replay.us; }

// Returns the line with the least such time, if it has one, of those with a right product that pass
// the test.
template <class Test>
static const BenchLine *fastest(const std::vector<BenchLine> &lines, Test &&test,
                                double (*timeOf)(const BenchLine &) = launchedUs) {
  const BenchLine *least = nullptr;
  for (const BenchLine &line : lines)
    if (timeOf(line) > 0 && (line.verified || line.isTheirs) && test(line) &&
        (!least || timeOf(line) < timeOf(*least)))
      least = &line;
  return least;
}

static bool isAny(const BenchLine & /*line*/) { return true; }

static bool callsCusparse(const BenchLine &line) {
  const Format *format = findFormat(line.format);
  return line.isTheirs || (format && format->library);
}

const BenchLine *MatrixBench::best() const { return fastest(lines, isAny); }

const BenchLine *MatrixBench::cusparseBest() const { return fastest(lines, callsCusparse); }

const BenchLine *MatrixBench::cusparseBestReplay() const {
  return fastest(lines, callsCusparse, replayedUs);
}

const BenchLine *MatrixBench::chosen() const {
  auto found =
      std::find_if(lines.begin(), lines.end(), [](const BenchLine &l) { return l.chosen; });
  return found == lines.end() ? nullptr : &*found;
}

const BenchLine *MatrixBench::find(const std::string &format) const {
  auto found = std::find_if(lines.begin(), lines.end(),
                            [&](const BenchLine &l) { return l.format == format && l.us > 0; });
  return found == lines.end() ? nullptr : &*found;
}

namespace {
// The matrix, machine and vectors that all plans are measured with.
struct Bench {
  const CsrView &a;
  const Request &request;
  Machine &machine;
  DeviceVectors vectors;
  Verifier verifier;
  double fastestUs = 0; // least time of a right product so far; 0: none yet

  Enqueue enqueue(const Built &built) const { return specmv::enqueue(*built.product, vectors); }
};
} // namespace

static llvm::Expected<bool> isDeterministic(const Bench &bench, const Built &built, int repeats) {
  std::vector<std::byte> first(bench.vectors.y.bytes()), again(first.size());
  for (int i = 0; i < repeats; ++i) {
    if (llvm::Error error = bench.enqueue(built)())
      return error;
    std::vector<std::byte> &to = i == 0 ? first : again;
    if (llvm::Error error =
            bench.machine.gpu->download(to.data(), bench.vectors.y.pointer(), to.size()))
      return error;
    if (i > 0 && first != again)
      return false;
  }
  return true;
}

static llvm::Error measurePreparation(const Bench &bench, const Built &built, BenchLine &line) {
  if (!isLibraryCall(built.plan))
    return llvm::Error::success();
  return preparationUs(bench.machine.gpu, built.plan.format, built.layout, built.problem.type)
      .moveInto(line.prepareUs);
}

static llvm::Error measureLine(Bench &bench, Built &built, BenchLine &line) {
  const GpuDevice &gpu = *bench.machine.gpu;
  const Enqueue product = bench.enqueue(built);
  auto effort = effortFor(gpu, product, bench.fastestUs);
  if (!effort)
    return effort.takeError();
  // The cold runs come first, since they fill L2.
  auto usCold = measureCold(gpu, product, *effort);
  if (!usCold)
    return usCold.takeError();
  auto us = measureWarm(gpu, product, *effort);
  if (!us)
    return us.takeError();
  const int64_t bytes = csrBytes(bench.a, bench.vectors.count);
  if (llvm::Error error =
          measureReplay(*built.product, bench.vectors, bytes, *effort).moveInto(line.replay))
    return error;
  if (llvm::Error error = measurePreparation(bench, built, line))
    return error;
  auto deterministic = isDeterministic(bench, built, effort->repeats);
  if (!deterministic)
    return deterministic.takeError();
  auto checked =
      bench.verifier.check(checkedProduct(bench.a, bench.machine, built, bench.request.vectors));
  if (!checked)
    return checked.takeError();
  line.us = *us, line.usCold = *usCold;
  line.brief = effort->brief;
  line.deterministic = *deterministic;
  line.verified = checked->passed();
  line.maxErrorRatio = std::max(checked->exact.maxErrorRatio, checked->rounded.maxErrorRatio);
  if (line.verified && (bench.fastestUs == 0 || line.us < bench.fastestUs))
    bench.fastestUs = line.us;
  return llvm::Error::success();
}

// Measures the plan with the kernels that a build on `machine` uses.
static llvm::Expected<BenchLine> measurePlan(Bench &bench, const Plan &plan, Machine &machine) {
  BenchLine line{.format = plan.format, .plan = plan};
  auto built = build(bench.a, plan, bench.request.problem, machine);
  if (!built) {
    line.why = describe(built.takeError()).second;
    return line;
  }
  line.isGeneral = built->isGeneral;
  line.setup.build = built->ms;
  line.storedBytes = built->layout.storedBytes();
  if (llvm::Error error = measureLine(bench, *built, line))
    return error;
  return line;
}

// Returns true if all plans of a format are measured, false if the best predicted one that can be
// built is.
static bool measuresAll(Rigor rigor) {
  return rigor == Rigor::measure || rigor == Rigor::exhaustive;
}

static PlanTime planTimeOf(const Candidate &candidate, const BenchLine &line) {
  return {candidate.plan, candidate.predictedUs, line.us, line.verified, line.brief};
}

static llvm::Expected<BenchLine> measureFormat(Bench &bench, const Ranked &ranked,
                                               const Offer &offer) {
  std::vector<BenchLine> lines;
  std::vector<PlanTime> times;
  for (const Candidate &candidate : ranked.candidates) { // in the order of their predictions
    if (candidate.plan.format != offer.format->name)
      continue;
    auto line = measurePlan(bench, candidate.plan, bench.machine);
    if (!line)
      return line;
    times.push_back(planTimeOf(candidate, *line));
    lines.push_back(std::move(*line));
    if (lines.back().why.empty() && !measuresAll(bench.request.rigor))
      break;
  }
  const BenchLine *best = fastest(lines, isAny);
  BenchLine out = best ? *best : BenchLine{.format = offer.format->name};
  if (!best)
    out.why = lines.empty()              ? offer.why
              : lines.back().why.empty() ? "wrong product"
                                         : lines.front().why;
  out.plans = std::move(times);
  return out;
}

// Marks the line of the plan that specialize() would use: the best prediction that can be built. If
// the table has a faster plan of the same format, the choice gets a separate line.
static llvm::Error markChosen(Bench &bench, const Ranked &ranked, std::vector<BenchLine> &lines) {
  for (const Candidate &candidate : ranked.candidates) {
    const std::string text = candidate.plan.text();
    auto found = std::find_if(lines.begin(), lines.end(), [&](const BenchLine &line) {
      return line.why.empty() && line.plan.text() == text;
    });
    if (found != lines.end()) {
      found->chosen = true;
      return llvm::Error::success();
    }
    auto line = measurePlan(bench, candidate.plan, bench.machine);
    if (!line)
      return line.takeError();
    if (!line->why.empty())
      continue;
    line->chosen = true;
    line->plans = {planTimeOf(candidate, *line)};
    lines.push_back(std::move(*line));
    return llvm::Error::success();
  }
  return llvm::Error::success();
}

// Returns the machine as the first plan of a program finds it: installed packs have the only
// kernels. Forgets what is loaded.
static Machine asFirstFound(const Machine &machine) {
  machine.gpu->forget();
  Machine out = machine;
  out.cache = Cache::open(CacheUse::packsOnly);
  out.kernels = KernelKind::atHand;
  out.found = std::make_shared<FoundObjects>();
  return out;
}

// Measures the plan that specialize() would take there.
static llvm::Error measureFirst(Bench &bench, const Ranked &ranked, MatrixBench &out) {
  if (ranked.candidates.empty() || measuresAll(bench.request.rigor) ||
      bench.request.rigor == Rigor::trial)
    return llvm::Error::success();
  Machine machine = asFirstFound(bench.machine);
  const size_t first = firstToBuild(bench.request, ranked.candidates, bench.a.indexType, machine);
  return measurePlan(bench, ranked.candidates[first].plan, machine).moveInto(out.first);
}

// Adds cuSPARSE's contenders for several vectors, with the vectors of the bench.
static llvm::Error addSpmm(Bench &bench, std::vector<BenchLine> &lines) {
  auto times = measureSpmm(bench.a, bench.machine, bench.vectors);
  if (!times)
    return times.takeError();
  for (const YardstickTime &time : times->times)
    lines.push_back(
        {.format = time.format, .us = time.us, .replay = time.replay, .isTheirs = true});
  for (std::string &why : times->notes)
    lines.push_back({.format = "cusparse-spmm", .isTheirs = true, .why = std::move(why)});
  return llvm::Error::success();
}

// Adds all cuSPARSE formats, which multiply one vector, to the requested formats.
static Request requestToMeasure(const Request &request) {
  Request out = request;
  if (request.formats.empty())
    for (const Format &format : formats())
      if (request.vectors == 1 || !format.library)
        out.formats.emplace_back(format.name);
  if (request.vectors > 1)
    return out;
  for (std::string &name : cusparseFormats())
    if (std::find(out.formats.begin(), out.formats.end(), name) == out.formats.end())
      out.formats.push_back(std::move(name));
  return out;
}

std::vector<size_t> measuringOrder(const Ranked &ranked) {
  auto rankOf = [&](size_t offer) {
    return std::find_if(
        ranked.candidates.begin(), ranked.candidates.end(),
        [&](const Candidate &c) { return c.plan.format == ranked.offers[offer].format->name; });
  };
  std::vector<size_t> order(ranked.offers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rankOf(a) < rankOf(b); });
  return order;
}

llvm::Expected<MatrixBench> benchMatrix(const CsrView &a, const Request &request, Machine &machine,
                                        double copyGBs) {
  auto asked = analyze(a, request, machine);
  if (!asked)
    return asked.takeError();
  auto all =
      rankPlans(requestToMeasure(request), asked->profiled.profile, machine, Look::untilDecided,
                {.values = asked->facts ? &*asked->facts : nullptr,
                 .blocks = samplesOf(asked->blocks, a),
                 .columns = [&] { return countOnce(asked->columns, a); },
                 .inOrder = [&] { return orderOnce(asked->inOrder, a, request); }});
  if (!all)
    return all.takeError();
  const int64_t count = request.vectors;
  auto vectors = DeviceVectors::make(*machine.gpu, a.rows, a.cols, request.problem, count);
  if (!vectors)
    return vectors.takeError();
  Bench bench{a, request, machine, std::move(*vectors),
              Verifier(a, request.problem.betaCanBeNonZero, valuesToCheck(request))};
  MatrixBench out{.vectors = count};
  out.csrBytes = csrBytes(a, count);
  out.indexFreeBytes =
      (a.nnz + count * (a.rows + a.cols)) * static_cast<int64_t>(sizeOf(a.valueType));
  out.copyGBs = copyGBs;

  out.lines.resize(all->offers.size());
  for (size_t i : measuringOrder(*all)) {
    auto line = measureFormat(bench, *all, all->offers[i]);
    if (!line)
      return line.takeError();
    out.lines[i] = std::move(*line);
  }
  if (llvm::Error error = markChosen(bench, asked->ranked, out.lines))
    return error;
  if (llvm::Error error = measureFirst(bench, asked->ranked, out))
    return error;
  if (count > 1)
    if (llvm::Error error = addSpmm(bench, out.lines))
      return error;
  for (BenchLine &line : out.lines) {
    line.setup.profile = asked->profiled.ms;
    line.setup.predict = asked->ranked.ms;
  }
  return out;
}

} // namespace specmv
