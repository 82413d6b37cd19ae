// Measures plans on the GPU, one at a time beside the fastest so far.
#include "runtime/choose/choose_measured.h"

#include "runtime/kernels/ahead.h"
#include "runtime/measure/stopwatch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

#include <set>

namespace specmv {

std::vector<size_t> plansToMeasure(Rigor rigor, llvm::ArrayRef<Candidate> candidates) {
  constexpr size_t kBestOverAll = 4;
  std::vector<size_t> out;
  std::set<std::string> seen;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const bool first = seen.insert(candidates[i].plan.format).second;
    if (rigor == Rigor::exhaustive || first || i < kBestOverAll)
      out.push_back(i);
  }
  return out;
}

namespace {
// Holds the state that all plans of a choice share, and the results so far.
struct Contest {
  const SourceMatrix &a;
  const Problem &problem;
  const Protocol &protocol;
  Machine &machine;
  DeviceVectors vectors = {};
  BuiltChoice best = {.choice = {.by = ChosenBy::measurement}, .built = {}};
  std::string notPacked = {}; // why the best plan that is in no pack was left out

  double &bestUs() { return best.choice.measuredUs; }
};
} // namespace

static llvm::Error timePlan(Contest &contest, size_t index, Built built) {
  const Machine &machine = contest.machine;
  BuiltChoice &best = contest.best;
  best.buildMs += built.ms;
  llvm::append_range(best.warnings, built.warnings);
  auto us = timed(best.measureMs, [&] {
    return measureToCompare(*machine.gpu, enqueue(*built.product, contest.vectors),
                            contest.bestUs(), contest.protocol);
  });
  if (!us) // products must end before the plan and the vectors are freed
    return llvm::joinErrors(us.takeError(), machine.gpu->synchronize(machine.setupStream));
  if (contest.bestUs() > 0 && *us >= contest.bestUs())
    return llvm::Error::success();
  contest.bestUs() = *us;
  best.choice.index = index;
  if (machine.ahead && machine.ahead->contains(built.key.id))
    built.hit = false; // it was compiled for this choice
  best.built = std::move(built);
  return llvm::Error::success();
}

static llvm::Error tryPlan(Contest &contest, size_t index, const Plan &plan) {
  Machine &machine = contest.machine;
  if (machine.onlyPacks && !isReady(plan, contest.problem, machine)) {
    if (contest.notPacked.empty())
      contest.notPacked = describe(notInPacks(plan, contest.problem, machine)).second;
    return llvm::Error::success();
  }
  const Stopwatch watch;
  auto built = build(contest.a, plan, contest.problem, machine);
  if (built)
    return timePlan(contest, index, std::move(*built));
  // A plan that does not fit fails when packing.
  contest.best.buildMs.pack += watch.milliseconds();
  contest.best.warnings.push_back(plan.text() + ": " + describe(built.takeError()).second);
  return unlessCancelled(machine);
}

static FoundAhead compiled(Contest &contest, llvm::ArrayRef<Candidate> candidates,
                           llvm::ArrayRef<size_t> indices) {
  std::vector<Plan> plans;
  plans.reserve(indices.size());
  for (const size_t i : indices)
    plans.push_back(candidates[i].plan);
  CompiledAhead ahead =
      compileAhead(plans, contest.problem, contest.a.given().indexType, contest.machine);
  contest.best.buildMs.compile += ahead.ms;
  contest.best.warnings = std::move(ahead.warnings);
  return FoundAhead(contest.machine, std::move(ahead.objects));
}

static llvm::Error makeVectors(Contest &contest) {
  const CsrView &given = contest.a.given();
  return timed(contest.best.measureMs, [&] {
    return plainVectors(*contest.machine.gpu, given.rows, given.cols, contest.problem,
                        contest.machine.setupStream)
        .moveInto(contest.vectors);
  });
}

llvm::Expected<BuiltChoice> chooseMeasured(const SourceMatrix &a, const Problem &problem,
                                           llvm::ArrayRef<Candidate> candidates,
                                           llvm::ArrayRef<size_t> indices, const Protocol &protocol,
                                           Machine &machine) {
  if (!machine.gpu)
    return fail(Status::noGpu,
                "plans can only be measured on a GPU, and none is used ({0}); use the rigor "
                "'estimate' (in C SPECMV_RIGOR_ESTIMATE)",
                machine.whyHost);
  Contest contest{a, problem, protocol, machine};
  // Work on the stream must end before the vectors are freed, even on failure.
  const auto settle = llvm::make_scope_exit(
      [&] { llvm::consumeError(machine.gpu->synchronize(machine.setupStream)); });
  if (llvm::Error error = makeVectors(contest))
    return error;
  const FoundAhead ahead = compiled(contest, candidates, indices);
  for (const size_t i : indices)
    if (llvm::Error error = tryPlan(contest, i, candidates[i].plan))
      return error;
  BuiltChoice &best = contest.best;
  if (contest.bestUs() == 0 && !contest.notPacked.empty())
    return failWith(Status::notInPacks, contest.notPacked);
  if (contest.bestUs() == 0)
    return fail(Status::notApplicable, "no plan could be built: {0}",
                best.warnings.empty() ? "" : best.warnings.back());
  return std::move(best);
}

} // namespace specmv
