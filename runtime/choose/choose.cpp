// Decides which of the ranked plans are tried, and measures plans one at a time.
#include "runtime/choose/choose.h"

#include "generator/rank.h"
#include "models/base/error.h"
#include "runtime/kernels/at_hand.h"
#include "runtime/measure/measure.h"
#include "runtime/measure/stopwatch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <limits>
#include <map>
#include <set>

namespace specmv {

// --- Choose --------------------------------------------------------------------------------------

// Decides which of the ranked plans are tried, and in which order. Among predictions that tie, the
// one whose kernel is ready counts as the best.

std::vector<std::string> reasonsOf(llvm::ArrayRef<Offer> offers) {
  struct Reason {
    llvm::StringRef withoutName;
    std::string text, likewise;
  };
  std::vector<Reason> reasons;
  for (const Offer &offer : offers) {
    if (!offer.plans.empty())
      continue;
    llvm::StringRef why = offer.why;
    why.consume_front(offer.format->name);
    const auto known = llvm::find_if(reasons, [&](auto &each) { return each.withoutName == why; });
    if (known == reasons.end())
      reasons.push_back({why, offer.why, ""});
    else
      known->likewise += std::string(known->likewise.empty() ? "" : ", ") + offer.format->name;
  }
  std::vector<std::string> texts;
  texts.reserve(reasons.size());
  for (const Reason &each : reasons)
    texts.push_back(each.text + (each.likewise.empty() ? "" : " (likewise " + each.likewise + ")"));
  return texts;
}

llvm::Error noPlan(const std::vector<Offer> &offers) {
  Status status = Status::notApplicable;
  for (const Offer &offer : offers)
    if (isMissing(offer.whyStatus) && !isMissing(status))
      status = offer.whyStatus;
  const std::string why = llvm::join(reasonsOf(offers), "; ");
  return failWith(status, why.empty() ? "no plan" : why);
}

size_t firstAmongTies(llvm::ArrayRef<Candidate> candidates,
                      llvm::function_ref<bool(const Plan &)> isReady) {
  if (candidates.empty() || isLibraryCall(candidates.front().plan))
    return 0;
  const auto tied =
      candidates.take_while([&](const Candidate &c) { return ties(c, candidates.front()); });
  for (size_t i = 0; tied.size() > 1 && i < tied.size(); ++i)
    if (!isLibraryCall(tied[i].plan) && isReady(tied[i].plan))
      return i;
  return 0;
}

// Maps an index in the order of trying, in which the one at `first` comes before all others, back
// to the original index.
static size_t indexBefore(size_t index, size_t first) {
  return index == 0 ? first : index - (index <= first ? 1 : 0);
}

size_t firstWithoutWait(llvm::ArrayRef<Candidate> candidates,
                        llvm::function_ref<bool(const Plan &)> isReady) {
  if (candidates.empty())
    return 0;
  const double most = candidates.front().cautiousUs() * kWorthNoWait;
  for (size_t i = 0; i < candidates.size() && candidates[i].cautiousUs() <= most; ++i)
    if ((i == 0 || !isLibraryCall(candidates[i].plan)) && isReady(candidates[i].plan))
      return i;
  return 0;
}

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

std::vector<size_t> withReadyOnes(std::vector<size_t> measured,
                                  llvm::ArrayRef<Candidate> candidates,
                                  llvm::function_ref<bool(const Plan &)> isReady) {
  std::set<std::string> seen;
  for (const size_t index : measured)
    if (isReady(candidates[index].plan))
      seen.insert(candidates[index].plan.format);
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Plan &plan = candidates[i].plan;
    if (!seen.contains(plan.format) && !llvm::is_contained(measured, i) && isReady(plan)) {
      seen.insert(plan.format);
      measured.push_back(i);
    }
  }
  return measured;
}

size_t firstToBuild(const Request &request, llvm::ArrayRef<Candidate> candidates,
                    IndexType csrIndex, const Machine &machine) {
  if (request.weighsSetup())
    return 0;
  if (machine.gpu && machine.kernels == KernelKind::atHand && !machine.onlyPacks)
    return firstWithoutWait(candidates, [&](const Plan &plan) {
      return isWhollyReady(plan, request.problem, csrIndex, machine);
    });
  return firstAmongTies(candidates,
                        [&](const Plan &plan) { return isReady(plan, request.problem, machine); });
}

static Foreseen foreseenOf(const Candidate &candidate) {
  return {candidate.plan.format, candidate.cautiousUs()};
}

// Returns the cost of trying a candidate: its timing, and its set-up unless it is the first.
// Looking for kernels needs the disk, so that is only done if the trial pays without it.
static double trialUs(const Candidate &candidate, const Candidate &first, const SetupSize &size,
                      const Request &request, const Machine &machine) {
  if (machine.onlyPacks && !isReady(candidate.plan, request.problem, machine))
    return std::numeric_limits<double>::infinity();
  const double timing = comparingUs(candidate.predictedUs, kToTry);
  if (&candidate == &first || request.expectedProducts == 0)
    return timing;
  const auto withSetup = [&](Look look) {
    return timing + furtherSetup(candidate, size, request, machine, look).totalUs();
  };
  const double least = withSetup(Look::never);
  return least < possibleGainUs(foreseenOf(first), foreseenOf(candidate), request.expectedProducts)
             ? withSetup(Look::atAll)
             : least;
}

std::vector<size_t> plansOfTrial(const SetupSize &size, const Request &request,
                                 llvm::ArrayRef<Candidate> candidates, size_t first,
                                 const Machine &machine) {
  std::vector<Foreseen> foreseen;
  foreseen.reserve(candidates.size());
  for (size_t i = 0; i < candidates.size(); ++i)
    foreseen.push_back(foreseenOf(candidates[indexBefore(i, first)]));
  std::vector<size_t> out = plansToTry(foreseen, request.expectedProducts, [&](size_t i) {
    return trialUs(candidates[indexBefore(i, first)], candidates[first], size, request, machine);
  });
  for (size_t &index : out)
    index = indexBefore(index, first);
  return out;
}

// --- Choose measured -----------------------------------------------------------------------------

// Measures plans on the GPU, one at a time beside the fastest so far.

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
