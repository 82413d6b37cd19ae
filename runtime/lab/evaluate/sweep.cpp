// Builds plans one after another on one matrix on the GPU, checks their products and times them.
#include "runtime/lab/evaluate/sweep.h"

#include "runtime/kernels/ahead.h"
#include "runtime/lab/evaluate/plans_to_time.h"
#include "runtime/lab/evaluate/timed_plan.h"
#include "runtime/measure/measure.h"

namespace specmv {

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
