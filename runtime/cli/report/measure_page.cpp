// Times the best plan of each format once, from one copy of the matrix on the GPU.
#include "runtime/cli/report/measure_page.h"

#include "models/base/in_turn.h"
#include "runtime/kernels/ahead.h"
#include "runtime/lab/bench/checked_product.h"
#include "runtime/lab/bench/setup_cusparse.h"
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

namespace {
// The page's measurements of one matrix.
struct PageBench {
  const SetupBed &bed;
  const std::string &matrix;
  const Request &request;
  Machine &machine;
  MatrixBench out;
  double fastestUs = 0;
};
} // namespace

static llvm::Error addTimed(PageBench &bench, BenchLine line, llvm::Expected<TimedPlan> timed) {
  if (!timed)
    return timed.takeError();
  if (timed->isWrong)
    return fail(Status::badInput, "{0}: {1} gives a wrong product", bench.matrix, line.format);
  line.us = timed->us;
  line.replay.us = timed->usReplay;
  line.verified = timed->us > 0;
  line.setup.build = timed->ms;
  line.why = std::move(timed->why);
  if (line.us > 0 && (bench.fastestUs == 0 || line.us < bench.fastestUs))
    bench.fastestUs = line.us;
  bench.out.lines.push_back(std::move(line));
  return llvm::Error::success();
}

// The contender reads the matrix where it is, or converts it on the GPU, where cuSPARSE can.
static llvm::Error addTheirs(PageBench &bench, const SetupContender &contender) {
  BenchLine line{.format = contender.name, .why = contender.why};
  const bool isOurs = llvm::any_of(bench.out.lines, [&](const BenchLine &other) {
    return other.format == contender.name; // it was chosen, since it was asked for by name
  });
  if (isOurs)
    return llvm::Error::success();
  if (!line.why.empty()) {
    bench.out.lines.push_back(std::move(line));
    return llvm::Error::success();
  }
  if (llvm::Error error = contender.before(bench.bed, Side::device))
    return error;
  auto made = contender.make(bench.bed, Side::device);
  if (!made) {
    line.why = describe(made.takeError()).second;
    bench.out.lines.push_back(std::move(line));
    return llvm::Error::success();
  }
  const SetupBed &bed = bench.bed;
  return addTimed(bench, std::move(line),
                  timeProduct(
                      bed,
                      [&](StreamHandle stream) {
                        return made->run(bed.trial.alpha, bed.x.pointer(), 0, bed.y.pointer(),
                                         stream);
                      },
                      bench.fastestUs));
}

static llvm::Expected<MatrixBench> timeOnce(const CsrView &a, const std::string &matrix,
                                            const Request &request, Machine &machine,
                                            const PlansFound &found) {
  const std::vector<Plan> plans = bestOfOurs(found);
  const Profiled &profiled = found.seen.profiled;
  auto contenders = cusparseContenders(profiled.profile, request.problem, machine);
  if (!contenders)
    return contenders.takeError();
  auto bed = SetupBed::make(a, machine.gpu, valuesToCheck(request));
  if (!bed)
    return bed.takeError();
  const FoundAhead ahead(machine,
                         compileAhead(plans, request.problem, a.indexType, machine).objects);
  PageBench bench{**bed, matrix, request, machine, {.csrBytes = csrBytes(a)}};
  for (const Plan &plan : plans) {
    BenchLine line{.format = plan.format, .plan = plan};
    line.setup.profile = profiled.ms;
    line.setup.predict = found.seen.ranked.ms;
    if (llvm::Error error =
            addTimed(bench, std::move(line),
                     timePlan(**bed, plan, request.problem, machine, bench.fastestUs)))
      return error;
  }
  BenchLine &choice = bench.out.lines.front();
  choice.chosen = choice.us > 0;
  for (SetupContender &next : *contenders) {
    const SetupContender contender = std::move(next); // its resources end with it
    if (llvm::Error error = addTheirs(bench, contender))
      return error;
  }
  return std::move(bench.out);
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
