// Builds plans one after another on one matrix on the GPU, checks their products and times them.
#include "runtime/lab/evaluate/measured.h"

#include "generator/format.h"
#include "models/lab/families/families.h"
#include "runtime/kernels/at_hand.h"
#include "runtime/lab/yardstick/contender.h"
#include "runtime/lab/yardstick/yardstick.h"
#include "runtime/measure/measure.h"
#include "runtime/plan/worth.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>
#include <set>

namespace specmv {

// --- Measured ------------------------------------------------------------------------------------

// Answers simple questions about measurements.

std::string familyOf(const std::string &matrix) { return matrix.substr(0, matrix.find(':')); }

bool isKeptFromFits(const Measured &measured) { return isUnseen(familyOf(measured.matrix)); }

std::string keptFromFits(llvm::ArrayRef<Measured> all) {
  std::set<std::string> kept;
  size_t cases = 0;
  for (const Measured &each : all)
    if (isKeptFromFits(each)) {
      kept.insert(familyOf(each.matrix));
      ++cases;
    }
  if (cases == 0)
    return "";
  return llvm::formatv("{0} of {1} cases are left out of the fit, because no fit may use their "
                       "families: {2}",
                       cases, all.size(), llvm::join(kept, ", "));
}

Measured replaysOf(const Measured &measured) {
  Measured out = measured;
  llvm::erase_if(out.plans, [](const MeasuredPlan &each) { return each.usReplay <= 0; });
  for (MeasuredPlan &each : out.plans)
    each.us = each.usReplay;
  return out;
}

double fastestUs(const Measured &measured) {
  const auto least =
      std::min_element(measured.plans.begin(), measured.plans.end(),
                       [](const MeasuredPlan &a, const MeasuredPlan &b) { return a.us < b.us; });
  return least == measured.plans.end() ? 0 : least->us;
}

int64_t csrBytesOf(const Measured &measured) {
  return sizeOf(measured.profile, measured.type).csrBytes();
}

bool lacksCounts(const Measured &measured, const Plan &plan) {
  const Format *format = findFormat(plan.format);
  return format && format->asksColumns && format->asksColumns(measured.profile, plan);
}

bool hasManyFormats(const Measured &measured) {
  constexpr size_t kMany = 4;
  std::set<std::string> ours;
  for (const MeasuredPlan &each : measured.plans)
    if (const Format *format = findFormat(each.plan.format); format && !format->library)
      ours.insert(format->name);
  return ours.size() >= kMany;
}

// --- Timed plan ----------------------------------------------------------------------------------

// Builds one plan on the GPU, checks its product once and times it.

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

// --- Plans to time -------------------------------------------------------------------------------

// Picks the plans that a sweep times.

PlansToTime::PlansToTime(llvm::ArrayRef<Candidate> candidates, size_t mostOfAFormat) {
  std::map<std::string, size_t> count;
  for (const Candidate &candidate : candidates)
    (mostOfAFormat == 0 || count[candidate.plan.format]++ < mostOfAFormat ? taken_ : others_)
        .push_back(candidate.plan);
}

void PlansToTime::addOneMore(const std::string &format) {
  const auto next = llvm::find_if(others_, [&](const Plan &plan) { return plan.format == format; });
  if (next == others_.end())
    return;
  taken_.push_back(std::move(*next));
  others_.erase(next);
}

// --- Sweep ---------------------------------------------------------------------------------------

// Builds plans one after another on one matrix on the GPU, checks their products and times them.

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
    auto time = timePlan(**bed, source, plan, request.problem, machine, fastestUs(out.measured),
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
