// Measures plans on the GPU, one at a time beside the fastest so far.
#include "runtime/choose/choose_measured.h"

#include "models/base/in_turn.h"
#include "runtime/kernels/ahead.h"
#include "runtime/measure/stopwatch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

namespace specmv {

namespace {
// Holds the state that all plans of a choice share, and the results so far.
struct Contest {
  Session &session;
  const Protocol &protocol;
  DeviceVectors vectors = {};
  BuiltChoice best = {.choice = {}, .built = {}};
  std::string notPacked = {}; // the reason why the best plan that is in no pack was left out

  double &bestUs() { return best.choice.measuredUs; }
};
} // namespace

static llvm::Error timePlan(Contest &contest, const Proposal &proposal, Built built) {
  const Machine &machine = contest.session.machine;
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
  best.choice = proposal.choice;
  best.predictedUs = proposal.predictedUs;
  contest.bestUs() = *us;
  if (machine.ahead && machine.ahead->contains(built.key.id))
    built.hit = false; // it was compiled for this choice
  best.built = std::move(built);
  return llvm::Error::success();
}

static llvm::Error tryPlan(Contest &contest, const Proposal &proposal) {
  const Stopwatch watch;
  auto built = build(contest.session, proposal);
  if (built)
    return timePlan(contest, proposal, std::move(*built));
  // A plan that does not fit fails when packing.
  contest.best.buildMs.pack += watch.milliseconds();
  auto [status, sentence] = describe(built.takeError());
  if (status == Status::notInPacks && contest.notPacked.empty())
    contest.notPacked = sentence;
  contest.best.warnings.push_back(proposal.plan.text() + ": " + sentence);
  return !isLibraryCall(proposal.plan) && !isLeftToOthers(status)
             ? failWith(status, sentence)
             : unlessCancelled(contest.session.machine);
}

static FoundAhead compiled(Contest &contest, const Proposals &proposals) {
  std::vector<Plan> plans;
  plans.reserve(proposals.plans.size());
  for (const Proposal &proposal : proposals.plans)
    plans.push_back(proposal.plan);
  Session &session = contest.session;
  CompiledAhead ahead =
      compileAhead(plans, session.request.problem, session.csrIndex(), session.machine);
  contest.best.buildMs.compile += ahead.ms;
  contest.best.warnings = std::move(ahead.warnings);
  return FoundAhead(session.machine, std::move(ahead.objects));
}

static llvm::Error makeVectors(Contest &contest) {
  const Session &session = contest.session;
  return timed(contest.best.measureMs, [&] {
    return plainVectors(*session.machine.gpu, session.given().rows, session.given().cols,
                        session.request.problem, session.machine.setupStream)
        .moveInto(contest.vectors);
  });
}

static llvm::Error tryAll(Contest &contest, const Proposals &proposals) {
  const FoundAhead ahead = compiled(contest, proposals);
  for (const Proposal &proposal : proposals.plans)
    if (llvm::Error error = tryPlan(contest, proposal))
      return error;
  return llvm::Error::success();
}

static llvm::Error noneBuilt(const Contest &contest) {
  const std::vector<std::string> &warnings = contest.best.warnings;
  return contest.notPacked.empty() ? fail(Status::notApplicable, "no plan could be built: {0}",
                                          warnings.empty() ? "" : warnings.back())
                                   : failWith(Status::notInPacks, contest.notPacked);
}

llvm::Expected<BuiltChoice> fastestOf(Session &session, const Proposals &proposals) {
  const Machine &machine = session.machine;
  if (!machine.gpu)
    return fail(Status::noGpu,
                "plans can only be measured on a GPU, and none is used ({0}); use the rigor "
                "'estimate' (in C SPECMV_RIGOR_ESTIMATE)",
                machine.whyHost);
  Contest contest{session, *proposals.contest};
  // Work on the stream must end before the vectors are freed, even on failure.
  const auto settle = llvm::make_scope_exit(
      [&] { llvm::consumeError(machine.gpu->synchronize(machine.setupStream)); });
  if (llvm::Error error = inTurn(
          [&] { return makeVectors(contest); }, [&] { return tryAll(contest, proposals); },
          [&] { return contest.bestUs() > 0 ? llvm::Error::success() : noneBuilt(contest); }))
    return error;
  return std::move(contest.best);
}

} // namespace specmv
