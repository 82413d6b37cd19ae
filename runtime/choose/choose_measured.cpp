// Measures plans on the GPU, one at a time beside the fastest so far.
#include "runtime/choose/choose_measured.h"

#include "models/base/in_turn.h"
#include "runtime/kernels/ahead.h"
#include "runtime/kernels/at_hand.h"
#include "runtime/measure/stopwatch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/SaveAndRestore.h"

#include <limits>
#include <map>

namespace specmv {

namespace {
// Holds the state that all plans of a choice share, and the results so far.
struct Contest {
  Session &session;
  const Protocol &protocol;
  DeviceVectors vectors = {};
  BuiltChoice best = {.choice = {}, .built = {}};
  Proposal fastest = {};      // the plan of `best`
  std::string notPacked = {}; // the reason why the best plan that is in no pack was left out
  // The least measured time of a format's plans, in multiples of the predicted one.
  std::map<std::string, double> factors = {};

  double &bestUs() { return best.choice.measuredUs; }
};
} // namespace

static void noteFactor(Contest &contest, const Proposal &proposal, double us) {
  if (proposal.predictedUs <= 0)
    return;
  double &least =
      contest.factors.try_emplace(proposal.plan.format, std::numeric_limits<double>::infinity())
          .first->second;
  least = std::min(least, us / proposal.predictedUs);
}

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
  noteFactor(contest, proposal, *us);
  if (contest.bestUs() > 0 && *us >= contest.bestUs())
    return llvm::Error::success();
  contest.fastest = proposal;
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

static FoundAhead compiled(Contest &contest, llvm::ArrayRef<Proposal> proposals) {
  std::vector<Plan> plans;
  plans.reserve(proposals.size());
  for (const Proposal &proposal : proposals)
    plans.push_back(proposal.plan);
  Session &session = contest.session;
  CompiledAhead ahead =
      compileAhead(plans, session.request.problem, session.csrIndex(), session.machine);
  contest.best.buildMs.compile += ahead.ms;
  llvm::append_range(contest.best.warnings, ahead.warnings);
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

static llvm::Error tryThese(Contest &contest, llvm::ArrayRef<Proposal> proposals) {
  const FoundAhead ahead = compiled(contest, proposals);
  for (const Proposal &proposal : proposals)
    if (llvm::Error error = tryPlan(contest, proposal))
      return error;
  return llvm::Error::success();
}

// Returns false if a plan whose kernel must be compiled cannot become the fastest: by the time of
// another plan of its format, or, if none was timed, by its prediction alone.
static bool mayBeFastest(const Contest &contest, const Proposal &proposal) {
  // Nine plans of ten take at least what the other plan's time foretells, divided by this
  // (tests/bench/README.md).
  constexpr double kDoubt = 1.2;
  const double best = contest.best.choice.measuredUs;
  if (best <= 0)
    return true;
  const auto known = contest.factors.find(proposal.plan.format);
  return known != contest.factors.end() ? proposal.predictedUs * known->second < best * kDoubt
                                        : proposal.predictedUs < best * contest.protocol.hopeless;
}

// Gives the fastest plan its own kernels, if it was timed with those of its format.
static llvm::Error makeOwnKernels(Contest &contest, bool mayCompile) {
  if (!contest.best.built.isGeneral || !mayCompile)
    return llvm::Error::success();
  // They are taken whatever the others took; if they cannot be made, a warning says so.
  const double us = std::exchange(contest.bestUs(), 0);
  if (llvm::Error error = tryThese(contest, Proposal(contest.fastest)))
    return error;
  if (contest.bestUs() <= 0)
    contest.bestUs() = us;
  return llvm::Error::success();
}

// Times plans whose kernels are at hand, then compiles those that may be faster.
static llvm::Error tryFew(Contest &contest, const Proposals &proposals) {
  Machine &machine = contest.session.machine;
  const bool mayCompile = machine.kernels == KernelKind::specialized;
  const auto timeThem = [&] {
    const llvm::SaveAndRestore kinds(machine.kernels,
                                     mayCompile ? KernelKind::atHand : machine.kernels);
    std::vector<Proposal> plans = proposals.plans;
    const auto others =
        std::stable_partition(plans.begin(), plans.end(), [&](const Proposal &proposal) {
          return isReady(proposal.plan, contest.session.request.problem, machine);
        });
    std::vector<Proposal> missing(others, plans.end());
    plans.erase(others, plans.end());
    if (llvm::Error error = tryThese(contest, plans))
      return error;
    llvm::erase_if(missing,
                   [&](const Proposal &proposal) { return !mayBeFastest(contest, proposal); });
    return tryThese(contest, missing);
  };
  return inTurn(timeThem, [&] { return makeOwnKernels(contest, mayCompile); });
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
          [&] { return makeVectors(contest); },
          [&] {
            return proposals.compilesFew ? tryFew(contest, proposals)
                                         : tryThese(contest, proposals.plans);
          },
          [&] { return contest.bestUs() > 0 ? llvm::Error::success() : noneBuilt(contest); }))
    return error;
  return std::move(contest.best);
}

} // namespace specmv
