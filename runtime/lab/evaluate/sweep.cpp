// Builds plans one after another on one matrix on the GPU, checks their products and times them.
#include "runtime/lab/evaluate/sweep.h"

#include "runtime/build.h"
#include "runtime/kernels/ahead.h"
#include "runtime/lab/bench/setup_time.h"
#include "runtime/lab/evaluate/plans_to_time.h"
#include "runtime/lab/yardstick/replay.h"
#include "runtime/lab/yardstick/yardstick.h"
#include "runtime/measure/measure.h"
#include "runtime/measure/stopwatch.h"

namespace specmv {

static llvm::Expected<bool> isRight(const SetupBed &bed, const Built &built) {
  const Trial &trial = bed.trial;
  Values y(trial.y0.type, trial.y0.count());
  if (llvm::Error error = bed.gpu->fill(bed.y.pointer(), 0xff, y.bytes(), nullptr)) // NaN
    return error;
  if (llvm::Error error =
          built.product->run(trial.alpha, bed.x.pointer(), 0, bed.y.pointer(), nullptr))
    return error;
  if (llvm::Error error = bed.gpu->download(y.data(), bed.y.pointer(), y.bytes()))
    return error;
  return compare(y, trial, 0).passed;
}

namespace {
struct Timed {
  double us = 0;       // 0: not built, or wrong
  double usReplay = 0; // 0: not timed so, as where CSR is beyond L2
  double usMean = 0;
  bool isWrong = false;
  std::string why = {};
};
} // namespace

// Returns the mean time of the products alpha + 1 .. beta (strips III-D, statistics (5)). The
// papers print neither number.
static llvm::Expected<double> meanUs(const GpuDevice &gpu, const Enqueue &product) {
  constexpr int kAlpha = 10, kBeta = 110;
  auto few = timeBatch(gpu, product, kAlpha);
  auto many = timeBatch(gpu, product, kBeta);
  if (!few || !many)
    return llvm::joinErrors(few.takeError(), many.takeError());
  return (kBeta * *many - kAlpha * *few) / (kBeta - kAlpha);
}

static llvm::Expected<Timed> timed(const SetupBed &bed, const SourceMatrix &a, const Plan &plan,
                                   const Problem &problem, Machine &machine, double fastestUs,
                                   bool timesMean) {
  auto built = build(a, plan, problem, machine);
  if (!built)
    return Timed{.why = describe(built.takeError()).second};
  auto right = isRight(bed, *built);
  if (!right)
    return right.takeError();
  if (!*right)
    return Timed{.isWrong = true, .why = "wrong product"};
  const EnqueueOn productOn = [&](StreamHandle stream) {
    return Enqueue(
        [&, stream] {
          return built->product->run(bed.trial.alpha, bed.x.pointer(), 0, bed.y.pointer(), stream);
        },
        stream);
  };
  const Enqueue product = productOn(nullptr);
  auto effort = effortFor(*bed.gpu, product, fastestUs);
  if (!effort)
    return effort.takeError();
  auto us = measureWarm(*bed.gpu, product, *effort);
  if (!us)
    return us.takeError();
  auto replay = measureReplay(*bed.gpu, productOn, csrBytes(bed.onHost), *effort);
  if (!replay)
    return replay.takeError();
  auto mean = timesMean ? meanUs(*bed.gpu, product) : 0.0;
  if (!mean)
    return mean.takeError();
  return Timed{.us = *us, .usReplay = replay->us, .usMean = *mean};
}

// Measures again on one core, now that everything it reads is in the caches.
static llvm::Expected<double> decisionUs(const Request &request, const SparsityProfile &profile,
                                         const Machine &machine) {
  std::vector<double> ms;
  for (int i = 0; i < 5; ++i) {
    auto ranked = rankPlans(request, profile, machine);
    if (!ranked)
      return ranked.takeError();
    ms.push_back(ranked->ms);
  }
  return 1000 * median(ms);
}

llvm::Expected<Sweep> sweep(const CsrView &a, const Request &request, Machine &machine,
                            const SweepOptions &options) {
  auto bed = SetupBed::make(a, machine.gpu);
  if (!bed)
    return bed.takeError();
  const SourceMatrix source = (*bed)->source(Side::device);
  auto profiled = profileMatrix(source, machine);
  if (!profiled)
    return profiled.takeError();
  auto ranked = rankPlans(request, profiled->profile, machine);
  if (!ranked)
    return ranked.takeError();
  auto decision = decisionUs(request, profiled->profile, machine);
  if (!decision)
    return decision.takeError();

  Sweep out{.measured = {.matrix = {},
                         .type = a.valueType,
                         .profile = std::move(profiled->profile),
                         .profileUs = 1000 * profiled->ms,
                         .decisionUs = *decision},
            .ranked = std::move(*ranked)};
  PlansToTime toTime(out.ranked.candidates, options.mostOfAFormat);
  // Compiling takes most of a sweep's time, so it is done on all cores first.
  const FoundAhead ahead(
      machine, compileAhead(toTime.plans(), request.problem, a.indexType, machine).objects);
  for (size_t i = 0; i < toTime.plans().size(); ++i) {
    const Plan plan = toTime.plans()[i]; // a copy, since plans are added
    auto time = timed(**bed, source, plan, request.problem, machine, fastestUs(out.measured),
                      options.timesMean);
    if (!time)
      return time.takeError();
    if (time->why.empty()) {
      out.measured.plans.push_back({plan, time->us, time->usReplay, time->usMean});
    } else {
      out.left.push_back(plan.text() + ": " + time->why);
      if (!time->isWrong)
        toTime.addOneMore(plan.format);
    }
    out.isWrong |= time->isWrong;
  }
  return out;
}

} // namespace specmv
