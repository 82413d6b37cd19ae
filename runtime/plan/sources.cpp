// The table of sources of plans, and those that need no file of their own.
#include "runtime/plan/sources.h"

#include "generator/format.h"
#include "generator/order/order.h"
#include "generator/parameters.h"
#include "generator/setup/packing.h"
#include "models/base/error.h"
#include "models/base/text.h"
#include "models/predict/worth.h"
#include "runtime/choose/choose.h"
#include "runtime/measure/measure.h"
#include "runtime/plan/recall.h"
#include "runtime/plan/worth.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace specmv {

// --- Given plan ----------------------------------------------------------------------------------

// Checks that a text names a format and gives all of its numbers.

// The text of a plan without a list is shorter than this.
constexpr size_t kMostShown = 200;

static std::string shortened(llvm::StringRef text) {
  return text.take_front(kMostShown).str() + (text.size() > kMostShown ? "..." : "");
}

// Names the first word that no plan can have, such as the "(predicted)" that the tool prints behind
// a plan, or that the text has already, or that stands before words that belong before it; "" if
// all words can be read, but not together.
static std::string unreadIn(llvm::StringRef text) {
  llvm::StringSet<> names;
  std::string real; // the first word with a number that is no integer
  for (size_t blank = text.find(' '); blank != llvm::StringRef::npos;
       blank = text.find(' ', blank + 1)) {
    const llvm::StringRef word = text.drop_front(blank + 1).split(' ').first;
    const std::optional<Plan> alone = parsePlan("ell " + word.str());
    if (!alone)
      return word.empty() ? "it has a blank too many; "
                          : "'" + shortened(word) + "' cannot be read; ";
    if (!real.empty() && !alone->integers.empty())
      return "'" + shortened(real) + "' is no integer, and integers stand before such numbers; ";
    if (real.empty() && !alone->reals.empty())
      real = word.str();
    const llvm::StringRef name = word.split('=').first;
    if (!names.insert(name).second)
      return "it has " + shortened(name) + " twice; ";
  }
  return "";
}

// Shows how a plan is written, with the places of the two words that few plans have if the text has
// one of them.
static std::string formOfPlan(llvm::StringRef text) {
  const bool hasMore = text.contains(" values=") || text.contains(" order=");
  return std::string("it must be written as 'ell ell.width=27 block=256 offset=32 column=32'") +
         (hasMore ? ", then values=..., then order=..." : "");
}

// A plan's own text names neither plain values nor the order of the matrix, but messages advise
// values=plain and order=none.
static std::optional<Plan> readPlan(llvm::StringRef text) {
  text.consume_back(" order=none");
  const bool isPlain = text.consume_back(" values=plain");
  std::optional<Plan> plan = parsePlan(text.str());
  return isPlain && plan && !plan->values.empty() ? std::nullopt : plan;
}

// Returns "" if the text is that of a plan.
static std::string whyNone(const std::string &text, const std::optional<Plan> &plan) {
  const llvm::StringRef name = llvm::StringRef(text).split(' ').first;
  const Format *format = findFormat(name.str());
  if (!format && !name.empty())
    return ("unknown format '" + shortened(name) + "'") + meantBy(name, namesIn(formats()));
  if (!plan && text.find(",...") != std::string::npos)
    return "one of its lists was shortened for display (',...'); the whole text is in the comment "
           "'plan' of a source of 'specmv emit', in chosen.text of 'specmv run --json', and in "
           "what "
           "specmvGetPlanText() returns";
  if (!plan)
    return unreadIn(text) + formOfPlan(text);
  const std::string why = describe(checkPlan(*plan, format->parameters)).second;
  return why.empty() ? describe(inTurn([&] { return checkValues(plan->values); },
                                       [&] { return checkOrder(plan->order); }))
                           .second
                     : why;
}

llvm::Expected<Plan> givenPlan(const std::string &text, const char *option) {
  std::optional<Plan> plan = readPlan(text);
  const std::string why = whyNone(text, plan);
  if (why.empty())
    return std::move(*plan);
  return fail(Status::badCall, "{0} '{1}' is not the text of a plan: {2}", option, shortened(text),
              why);
}

// --- Sources -------------------------------------------------------------------------------------

// The table of sources of plans, and those that need no file of their own.

const char *nameOf(ChosenBy by) {
  static constexpr const char *kNames[] = {"predicted",        "measured", "tried",
                                           "wisdom",           "fallback", "structureOf",
                                           "expectedProducts", "planText", "learned"};
  return kNames[static_cast<size_t>(by)];
}

std::vector<Proposal> proposalsOf(llvm::ArrayRef<Candidate> candidates, ChosenBy by) {
  std::vector<Proposal> out;
  out.reserve(candidates.size());
  for (const Candidate &candidate : candidates)
    out.push_back({.plan = candidate.plan,
                   .predictedUs = candidate.predictedUs,
                   .choice = {.index = out.size(), .by = by}});
  return out;
}

// --- Plans that are known without a profile ---

// Proposes one plan. Packing relies on valid arrays, which no profile has checked here.
static llvm::Expected<Proposals> proposedAlone(Session &session, std::optional<Plan> plan,
                                               ChosenBy by) {
  if (!plan)
    return Proposals();
  if (llvm::Error error = session.checkMatrix())
    return error;
  return Proposals{.plans = {{.plan = std::move(*plan), .choice = {.by = by}}}};
}

static llvm::Expected<Proposals> proposeGivenPlan(Session &session) {
  auto out = proposedAlone(session, session.request.plan, ChosenBy::text);
  if (out)
    out->isLast = true;
  return out;
}

// Proposes the plan of a matrix that may have the same structure. Its values may not fit the coding
// of that plan, or change.
static llvm::Expected<Proposals> proposeLikePlan(Session &session) {
  const Request &request = session.request;
  const LikePlan &like = *request.like;
  const CsrView &a = session.given();
  if (like.rows != a.rows || like.cols != a.cols || like.nnz != a.nnz || like.type != a.valueType)
    return Proposals();
  auto plan = parsePlan(like.text);
  if (plan && !request.formats.empty() && !llvm::is_contained(request.formats, plan->format))
    plan = std::nullopt;
  if (plan && plan->order != request.order && !request.choosesOrder() && !like.mayOrder)
    plan = std::nullopt;
  const bool isCoded = plan && !plan->values.empty();
  if (isCoded && request.takesNewValues)
    plan->values.clear();
  auto out = proposedAlone(session, std::move(plan), ChosenBy::structure);
  if (out && isCoded && !request.takesNewValues) {
    out->plans.push_back(out->plans.front());
    out->plans.back().plan.values.clear();
  }
  return out;
}

// Ordered by speed: on an H200, over 60 matrices in two types, csr-merge was 1.88 times as fast as
// cuSPARSE's default in the geometric mean, and 0.93 times in the worst case.
constexpr const char *kInPlaceFormats[] = {"csr-merge", "cusparse-csr"};

std::vector<Plan> plansAsItIs(const DeviceCsr &a, const Machine &machine) {
  return findFormat(kInPlaceFormats[0])->inPlace->plans(a, machine.model);
}

// On the host, products read CSR and need no kernel, unless it is asked for.
static bool multipliesAsItIs(const Plan &plan, const DeviceCsr &a, const Request &request,
                             const Machine &machine) {
  return machine.gpu ? isReady(plan, request.problem, machine, SetupPart::packing, a.indexType)
                     : !machine.onlyPacks && machine.hostKernels == HostKernels::none;
}

// The host takes the plan that a GPU with all kernels would take.
static int64_t leastProductsForProfile(const DeviceCsr &a, const Machine &machine) {
  return machine.gpu ? leastProductsToProfile(sizeOf(a), machine)
                     : leastProductsToProfile(sizeOf(a), KernelState::loaded, KernelState::loaded,
                                              machine.model);
}

std::optional<Plan> planWithoutProfile(const DeviceCsr &a, const Request &request,
                                       const Machine &machine) {
  if (!request.weighsSetup() || request.problem.vectors > 1 || !request.formats.empty() ||
      !request.values.empty() || !request.order.empty() || request.maxBytes > 0 ||
      request.expectedProducts >= leastProductsForProfile(a, machine))
    return std::nullopt;
  for (Plan &plan : plansAsItIs(a, machine))
    if (multipliesAsItIs(plan, a, request, machine))
      return std::move(plan);
  return std::nullopt;
}

static llvm::Expected<Proposals> proposeCsrAsItIs(Session &session) {
  auto out = proposedAlone(session,
                           planWithoutProfile(session.matrix.isLent() ? session.matrix.deviceCsr()
                                                                      : session.matrix.setupCsr(),
                                              session.request, session.machine),
                           ChosenBy::size);
  if (out &&
      !session.machine.gpu) // a GPU's plan copies the arrays, or borrows them if they are lent
    for (Proposal &proposal : out->plans)
      proposal.isInPlace = true;
  return out;
}

Proposals plansToStartWith(const Session &session) {
  const DeviceCsr csr = session.matrix.deviceCsr();
  const Problem &problem = session.request.problem;
  Proposals out;
  for (const char *name : kInPlaceFormats) {
    const Format &format = *findFormat(name);
    if (format.library && (problem.scalarsAreOnGpu || problem.vectorsAreDouble))
      continue;
    std::vector<Plan> plans = format.inPlace->plans(csr, session.machine.model);
    const auto ready = llvm::find_if(plans, [&](const Plan &plan) {
      return isReady(plan, problem, session.machine, SetupPart::inPlace, csr.indexType);
    });
    if (ready != plans.end())
      out.plans.push_back(
          {.plan = std::move(*ready), .choice = {.by = ChosenBy::size}, .isInPlace = true});
  }
  return out;
}

// --- Plans that are ranked ---

using Candidates = std::vector<Candidate>;

// Proposes what `choose` does of the ranked candidates.
template <llvm::Expected<Proposals> (*choose)(const Session &, const Candidates &)>
static llvm::Expected<Proposals> proposeOfRanked(Session &session) {
  return andThen(session.ranked(), [&](const Ranked *ranked) {
    return ranked->candidates.empty() ? noPlan(ranked->offers)
                                      : choose(session, ranked->candidates);
  });
}

static size_t firstToBuild(const Session &session, const Candidates &candidates) {
  return firstToBuild(session.request, candidates, session.csrIndex(), session.machine);
}

static std::vector<Proposal> only(const std::vector<size_t> &indices,
                                  const std::vector<Proposal> &from, ChosenBy by) {
  std::vector<Proposal> out;
  out.reserve(indices.size());
  for (const size_t index : indices) {
    out.push_back(from[index]);
    out.back().choice.by = by;
  }
  return out;
}

// Proposes to run the few plans near the best prediction, if that can pay.
static llvm::Expected<Proposals> chooseByTrial(const Session &session,
                                               const Candidates &candidates) {
  const std::vector<size_t> tried =
      plansOfTrial(sizeOf(session.matrix.deviceCsr()), session.request, candidates,
                   firstToBuild(session, candidates), session.machine);
  if (tried.size() < 2)
    return Proposals();
  return Proposals{.plans = only(tried, proposalsOf(candidates), ChosenBy::trial),
                   .contest = &kToTry};
}

static llvm::Expected<Proposals> chooseByMeasuring(const Session &session,
                                                   const Candidates &candidates) {
  const auto isAtHand = [&](const Plan &plan) {
    return isReady(plan, session.request.problem, session.machine);
  };
  const Rigor rigor = session.request.rigor;
  std::vector<size_t> measured = plansToMeasure(rigor, candidates);
  const bool compilesFew = session.machine.gpu && rigor == Rigor::measure;
  if (compilesFew)
    measured = withReadyOnes(std::move(measured), candidates, isAtHand);
  Proposals out{.plans = only(measured, proposalsOf(candidates), ChosenBy::measurement),
                .contest = &kToMeasure,
                .compilesFew = compilesFew,
                .isLast = true};
  // The best plan stays, so that a warning tells if no pack has its kernel.
  if (session.machine.gpu && session.machine.onlyPacks)
    out.plans.erase(std::remove_if(out.plans.begin() + 1, out.plans.end(),
                                   [&](const Proposal &each) { return !isAtHand(each.plan); }),
                    out.plans.end());
  return out;
}

// Proposes all plans, the best first, or before it one whose kernel is at hand.
static llvm::Expected<Proposals> chooseByPrediction(const Session &session,
                                                    const Candidates &candidates) {
  Proposals out{.plans = proposalsOf(candidates), .isLast = true};
  if (const size_t first = firstToBuild(session, candidates); first > 0) {
    const auto at = out.plans.begin() + static_cast<std::ptrdiff_t>(first);
    at->choice.better = {out.plans.front().plan.text(), out.plans.front().predictedUs};
    std::rotate(out.plans.begin(), at, at + 1);
  }
  return out;
}

// The sources that choose among ranked plans are the last of the table.
llvm::ArrayRef<Source> choosingSources() {
  return sources().drop_until([](const Source &each) { return each.time == &SetupTimes::choose; });
}

llvm::ArrayRef<Source> sources() {
  constexpr auto givesPlan = [](const Request &r) { return r.plan.has_value(); };
  constexpr auto followsPlan = [](const Request &r) { return r.like && r.maxBytes == 0; };
  constexpr auto mayOmitProfile = [](const Request &r) { return r.mayOmitProfile; };
  constexpr auto tries = [](const Request &r) { return r.rigor == Rigor::trial; };
  constexpr auto measures = [](const Request &r) {
    return r.rigor == Rigor::measure || r.rigor == Rigor::exhaustive;
  };
  constexpr auto always = [](const Request &) { return true; };
  constexpr auto kRecall = &SetupTimes::recall, kChoose = &SetupTimes::choose;
  static constexpr Source kSources[] = {
      {"the plan's text", givesPlan, proposeGivenPlan, kRecall},
      {"structureOf", followsPlan, proposeLikePlan, kRecall},
      {"CSR as it is", mayOmitProfile, proposeCsrAsItIs, kRecall},
      {"wisdom", mayRecall, proposeEarlierChoice, kRecall},
      {"wisdom, weighed", mayRecall, proposeEarlierChoiceAfterRanking, kRecall},
      {"trial", tries, proposeOfRanked<chooseByTrial>, kChoose},
      {"measurement", measures, proposeOfRanked<chooseByMeasuring>, kChoose},
      {"prediction", always, proposeOfRanked<chooseByPrediction>, kChoose},
  };
  return kSources;
}

} // namespace specmv
