// Times the best plan of each format once, from one copy of the matrix on the GPU.
#include "runtime/cli/report/measure_page.h"

#include "models/base/in_turn.h"
#include "runtime/kernels/ahead.h"
#include "runtime/lab/bench/checked_product.h"
#include "runtime/lab/evaluate/timed_plan.h"
#include "runtime/lab/yardstick/yardstick.h"
#include "runtime/measure/measure.h"

#include "llvm/ADT/STLExtras.h"

namespace specmv::cli {

// Returns the best plan of each of our formats that fits the matrix, the choice first.
static std::vector<Plan> bestOfOurs(const PlansFound &found) {
  std::vector<Plan> out;
  for (const Candidate &candidate :
       llvm::ArrayRef(found.seen.ranked.candidates).drop_front(found.fit.index))
    if (llvm::none_of(out, [&](const Plan &p) { return p.format == candidate.plan.format; }))
      out.push_back(candidate.plan);
  return out;
}

// Adds cuSPARSE's plans that are not among them; a format without one gets a line that says why.
static llvm::Error addTheirs(const SparsityProfile &profile, const Request &request,
                             const Machine &machine, std::vector<Plan> &plans,
                             std::vector<BenchLine> &without) {
  const Fixed none;
  auto offered = offers({profile, request.problem, machine.model, none}, cusparseFormats());
  if (!offered)
    return offered.takeError();
  for (const Offer &offer : *offered) {
    if (llvm::any_of(plans, [&](const Plan &plan) { return plan.format == offer.format->name; }))
      continue;
    if (offer.plans.empty())
      without.push_back({.format = offer.format->name, .why = offer.why});
    else
      plans.push_back(offer.plans.front());
  }
  return llvm::Error::success();
}

static BenchLine timedLine(const Plan &plan, TimedPlan timed) {
  BenchLine line{.format = plan.format, .plan = plan, .us = timed.us};
  line.replay.us = timed.usReplay;
  line.storedBytes = timed.storedBytes;
  line.verified = timed.us > 0;
  line.setup.build = timed.ms;
  line.why = std::move(timed.why);
  return line;
}

static llvm::Expected<MatrixBench> timeOnce(const CsrView &a, const std::string &matrix,
                                            const Request &request, Machine &machine,
                                            const PlansFound &found) {
  std::vector<Plan> plans = bestOfOurs(found);
  std::vector<BenchLine> without;
  const Profiled &profiled = found.seen.profiled;
  if (llvm::Error error = addTheirs(profiled.profile, request, machine, plans, without))
    return error;
  auto bed = SetupBed::make(a, machine.gpu, valuesToCheck(request));
  if (!bed)
    return bed.takeError();
  const FoundAhead ahead(machine,
                         compileAhead(plans, request.problem, a.indexType, machine).objects);
  MatrixBench out{.csrBytes = csrBytes(a)};
  double fastestUs = 0;
  for (const Plan &plan : plans) {
    auto timed = timePlan(**bed, plan, request.problem, machine, fastestUs);
    if (!timed)
      return timed.takeError();
    if (timed->isWrong)
      return fail(Status::badInput, "{0}: {1} gives a wrong product", matrix, plan.text());
    if (timed->us > 0 && (fastestUs == 0 || timed->us < fastestUs))
      fastestUs = timed->us;
    out.lines.push_back(timedLine(plan, std::move(*timed)));
    out.lines.back().setup.profile = profiled.ms;
    out.lines.back().setup.predict = found.seen.ranked.ms;
  }
  out.lines.front().chosen = out.lines.front().why.empty();
  llvm::append_range(out.lines, std::move(without));
  return out;
}

llvm::Expected<MatrixBench> measureForPage(const CsrView &a, const std::string &matrix,
                                           const Request &request, Machine &machine,
                                           const PlansFound &found) {
  if (request.rigor != Rigor::measure && request.rigor != Rigor::exhaustive)
    return timeOnce(a, matrix, request, machine, found);
  return andThen(measureCopyGBs(*machine.gpu), [&](double copyGBs) {
    return andThen(benchMatrix(a, request, machine, copyGBs),
                   [&](MatrixBench bench) -> llvm::Expected<MatrixBench> {
                     for (const BenchLine &line : bench.lines)
                       if (line.us > 0 && !line.verified && !line.isTheirs)
                         return fail(Status::badInput, "{0}: {1} gives a wrong product", matrix,
                                     line.format);
                     return bench;
                   });
  });
}

} // namespace specmv::cli
