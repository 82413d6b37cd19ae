// Times the best plan of each format once, from one copy of the matrix on the GPU.
#include "runtime/cli/report/measure_page.h"

#include "runtime/cli/bench/log.h"
#include "runtime/kernels/at_hand.h"
#include "runtime/lab/bench/bench.h"
#include "runtime/lab/bench/setup_time.h"
#include "runtime/lab/evaluate/measured.h"
#include "runtime/lab/yardstick/yardstick.h"
#include "runtime/measure/measure.h"

#include "llvm/ADT/STLExtras.h"

namespace specmv::cli {

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

// Leaves each format its timed line, or the first reason why there is none.
static void keepOneOfEach(std::vector<BenchLine> &lines) {
  std::vector<BenchLine> kept;
  for (BenchLine &line : lines) {
    const auto same =
        llvm::find_if(kept, [&](const BenchLine &other) { return other.format == line.format; });
    if (same == kept.end())
      kept.push_back(std::move(line));
    else if (line.us > 0)
      *same = std::move(line);
  }
  lines = std::move(kept);
}

// Times the best plan of each format, the choice first, and in place of one that cannot be built
// the next of its format.
static llvm::Error addOurs(PageBench &bench, const PlansFound &found) {
  const auto plans = llvm::ArrayRef(found.seen.ranked.candidates).drop_front(found.fit.index);
  const Plan &choice = plans.front().plan;
  const Problem &problem = bench.request.problem;
  const SourceMatrix source = bench.bed.source(Side::device);
  PlansToTime toTime(plans, 1);
  const FoundAhead ahead(
      bench.machine,
      compileAhead(toTime.plans(), problem, source.given().indexType, bench.machine).objects);
  for (size_t i = 0; i < toTime.plans().size(); ++i) {
    const Plan plan = toTime.plans()[i]; // a copy, since plans are added
    BenchLine line{.format = plan.format, .plan = plan};
    line.setup.profile = found.seen.profiled.ms;
    line.setup.predict = found.seen.ranked.ms;
    if (llvm::Error error =
            addTimed(bench, std::move(line),
                     timePlan(bench.bed, source, plan, problem, bench.machine, bench.fastestUs)))
      return error;
    BenchLine &added = bench.out.lines.back();
    added.chosen = added.us > 0 && plan == choice;
    if (added.us == 0)
      toTime.addOneMore(plan.format);
  }
  keepOneOfEach(bench.out.lines);
  return llvm::Error::success();
}

static bool hasLine(const MatrixBench &bench, const std::string &format) {
  return llvm::any_of(bench.lines, [&](const BenchLine &line) { return line.format == format; });
}

// A contender reads the matrix where it is, or converts it on the GPU, where cuSPARSE can.
static llvm::Expected<MadeProduct> madeBy(const SetupContender &contender, const SetupBed &bed) {
  if (!contender.why.empty())
    return failWith(Status::notApplicable, contender.why);
  if (!bed.handle)
    return failWith(Status::missing, bed.whyNoHandle);
  if (llvm::Error error = contender.before(bed, Side::device))
    return error;
  return contender.make(bed, Side::device);
}

// One that cannot be made gets a line that says why.
static llvm::Error addTheirs(PageBench &bench, const SetupContender &contender) {
  if (hasLine(bench.out, contender.name)) // it is among ours, since it was asked for by name
    return llvm::Error::success();
  BenchLine line{.format = contender.name};
  const SetupBed &bed = bench.bed;
  auto made = madeBy(contender, bed);
  if (!made) {
    line.why = describe(made.takeError()).second;
    bench.out.lines.push_back(std::move(line));
    return llvm::Error::success();
  }
  const auto productOn = [&](StreamHandle stream) {
    return made->run(bed.trial.alpha, bed.x.pointer(), 0, bed.y.pointer(), stream);
  };
  return addTimed(bench, std::move(line), timeProduct(bed, productOn, bench.fastestUs));
}

static llvm::Expected<MatrixBench> timeOnce(const CsrView &a, const std::string &matrix,
                                            const Request &request, Machine &machine,
                                            const PlansFound &found) {
  auto contenders = cusparseContenders(found.seen.profiled.profile, request.problem, machine);
  if (!contenders)
    return contenders.takeError();
  auto bed = SetupBed::make(a, machine.gpu, valuesToCheck(request));
  if (!bed)
    return bed.takeError();
  PageBench bench{**bed, matrix, request, machine, {.csrBytes = csrBytes(a)}};
  if (llvm::Error error = addOurs(bench, found))
    return error;
  for (SetupContender &next : *contenders) {
    const SetupContender contender = std::move(next); // its resources end with it
    if (llvm::Error error = addTheirs(bench, contender))
      return error;
  }
  return std::move(bench.out);
}

static llvm::Expected<MatrixBench> benchWhole(const CsrView &a, const std::string &matrix,
                                              const Request &request, Machine &machine) {
  auto copyGBs = measureCopyGBs(*machine.gpu);
  if (!copyGBs)
    return copyGBs.takeError();
  auto bench = benchMatrix(a, request, machine, *copyGBs);
  if (!bench)
    return bench.takeError();
  if (const std::string wrong = wrongOf(*bench); !wrong.empty())
    return fail(Status::badInput, "{0}: {1} gives a wrong product", matrix, wrong);
  return bench;
}

llvm::Expected<MatrixBench> measureForPage(const CsrView &a, const std::string &matrix,
                                           const Request &request, Machine &machine,
                                           const PlansFound &found) {
  return request.rigor == Rigor::measure || request.rigor == Rigor::exhaustive
             ? benchWhole(a, matrix, request, machine)
             : timeOnce(a, matrix, request, machine, found);
}

} // namespace specmv::cli
