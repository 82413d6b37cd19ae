// Builds one plan on the GPU, checks its product once and times it.
#include "runtime/lab/evaluate/timed_plan.h"

#include "runtime/lab/yardstick/replay.h"
#include "runtime/lab/yardstick/yardstick.h"
#include "runtime/measure/measure.h"

namespace specmv {

using ProductOn = std::function<llvm::Error(StreamHandle)>;

static llvm::Expected<bool> isRight(const SetupBed &bed, const ProductOn &productOn) {
  const Trial &trial = bed.trial;
  Values y(trial.y0.type, trial.y0.count());
  if (llvm::Error error = bed.gpu->fill(bed.y.pointer(), 0xff, y.bytes(), nullptr)) // NaN
    return error;
  if (llvm::Error error = productOn(nullptr))
    return error;
  if (llvm::Error error = bed.gpu->download(y.data(), bed.y.pointer(), y.bytes()))
    return error;
  return compare(y, trial, 0).passed;
}

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

llvm::Expected<TimedPlan> timeProduct(const SetupBed &bed, const ProductOn &productOn,
                                      double fastestUs, bool timesMean) {
  auto right = isRight(bed, productOn);
  if (!right)
    return right.takeError();
  if (!*right)
    return TimedPlan{.isWrong = true, .why = "wrong product"};
  const EnqueueOn enqueueOn = [&](StreamHandle stream) {
    return Enqueue([&, stream] { return productOn(stream); }, stream);
  };
  const Enqueue product = enqueueOn(nullptr);
  auto effort = effortFor(*bed.gpu, product, fastestUs);
  if (!effort)
    return effort.takeError();
  if (llvm::Error error = fillL2(*bed.gpu, product.stream))
    return error;
  if (llvm::Error error = product()) // a brief effort has so few that the first would count
    return error;
  auto us = measureWarm(*bed.gpu, product, *effort);
  if (!us)
    return us.takeError();
  auto replay = measureReplay(*bed.gpu, enqueueOn, csrBytes(bed.onHost), *effort);
  if (!replay)
    return replay.takeError();
  auto mean = timesMean ? meanUs(*bed.gpu, product) : 0.0;
  if (!mean)
    return mean.takeError();
  return TimedPlan{.us = *us, .usReplay = replay->us, .usMean = *mean};
}

llvm::Expected<TimedPlan> timePlan(const SetupBed &bed, const SourceMatrix &a, const Plan &plan,
                                   const Problem &problem, Machine &machine, double fastestUs,
                                   bool timesMean) {
  auto built = build(a, plan, problem, machine);
  if (!built)
    return TimedPlan{.why = describe(built.takeError()).second};
  const ProductOn productOn = [&](StreamHandle stream) {
    return built->product->run(bed.trial.alpha, bed.x.pointer(), 0, bed.y.pointer(), stream);
  };
  auto timed = timeProduct(bed, productOn, fastestUs, timesMean);
  if (timed)
    timed->ms = built->ms;
  return timed;
}

} // namespace specmv
