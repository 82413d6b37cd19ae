// Looks up an earlier choice in memory and in the wisdom, and stores a new one.
#include "runtime/plan/recall.h"

#include "generator/coding/coding.h"
#include "generator/rank.h"
#include "models/base/lasting.h"
#include "runtime/kernels/at_hand.h"
#include "runtime/kernels/compile_beside.h"
#include "runtime/plan/worth.h"
#include "runtime/threads/background.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

namespace specmv {

// --- Choice keys ---------------------------------------------------------------------------------

// Makes the keys of choices from what they depend on.

// Choices for few products and for many differ. isStillLeast() decides within a power of ten.
static std::string productsText(const Request &request) {
  return request.weighsSetup()
             ? " products 1e" +
                   std::to_string(std::to_string(request.expectedProducts).size() - 1) +
                   (request.csrIsLent ? " lent" : "")
             : "";
}

static std::string valuesText(const Request &request) {
  if (request.choosesCoding())
    return " values=any";
  return request.values.empty() ? "" : " values=" + request.values;
}

static std::string orderText(const Request &request) {
  if (request.choosesOrder())
    return " order=any";
  return request.order.empty() ? "" : " order=" + request.order;
}

// The pattern does not tell which codings can store the values. So where a coding may pay, there is
// a choice for each set of codings that values of the pattern have fitted. The facts do not tell
// whether blocks repeat; packing finds out, and a choice whose coding does not fit is made anew.
static std::string fittingText(const ValueFacts &facts) {
  std::string out = " fit";
  for (const Coding *coding : codings())
    if (coding->fits && (!coding->type || *coding->type == facts.type) && coding->fits(facts))
      out += std::string(" ") + coding->name;
  return out;
}

CacheKey choiceKey(const Request &request, const std::string &pattern, const Machine &machine,
                   const ValueFacts *facts) {
  // A prediction depends on the version of specmv and on the model's rates, so both are in the key.
  // The side on which products run is in the key too, since the host has fewer formats to choose
  // from.
  const std::string gpu =
      llvm::formatv("{0} {1} specmv {2} model {3} on the {4}", machine.model->name, machine.arch,
                    SPECMV_VERSION_TEXT, machine.model.digest(), machine.gpu ? "GPU" : "host");
  return wisdomKey(pattern, gpu,
                   problemText(request.problem) + valuesText(request) +
                       (facts ? fittingText(*facts) : "") + orderText(request) +
                       productsText(request));
}

std::vector<CacheKey> keysToStore(const Session &session, const std::string &pattern) {
  std::vector<CacheKey> out{choiceKey(session.request, pattern, session.machine)};
  if (session.request.choosesCoding() && session.knownValueFacts())
    out.push_back(choiceKey(session.request, pattern, session.machine, session.knownValueFacts()));
  return out;
}

// --- Known choices -------------------------------------------------------------------------------

// Holds the choices that this process knows.

ChoicesInMemory &inMemory() {
  static Lasting<ChoicesInMemory> choices;
  return *choices;
}

void forgetChoices() { inMemory().clear(); }

// --- Recall --------------------------------------------------------------------------------------

// Looks up an earlier choice in the wisdom, and stores a new one.

static bool prescribesNothing(const Request &request) {
  return request.formats.empty() && request.fixed.empty() && request.maxBytes == 0;
}

// Returns true if a choice made in this way is good enough for a request of this rigor. An estimate
// accepts any choice; a trial, or a set-up that would learn, accepts a choice made by trial, by
// learning or by measurement.
static bool suffices(Chosen chosen, Rigor rigor) {
  switch (rigor) {
  case Rigor::estimate:
    return true;
  case Rigor::trial:
  case Rigor::online:
    return chosen >= Chosen::tried;
  case Rigor::measure:
  case Rigor::exhaustive:
    break;
  }
  return chosen == Chosen::measured;
}

// Finds a choice in memory, otherwise on disk. A kept prediction must not hide a better one that
// another process may have measured.
static std::optional<KnownChoice> recallOnce(const CacheKey &key, const Cache &cache, Rigor rigor) {
  const std::string name = inMemoryKey(key, cache);
  if (auto known = inMemory().find(name))
    if (suffices(known->wisdom.chosen, rigor))
      return known;
  auto stored = recall(cache, key);
  if (!stored)
    return std::nullopt;
  inMemory().keep(name, {*stored});
  return KnownChoice{std::move(*stored)};
}

// Returns true if the kernel of the better plan is available now.
static bool isOvertaken(const KnownChoice &known, const Problem &problem, IndexType csrIndex,
                        const Machine &machine) {
  const auto better = known.better ? parsePlan(known.better->plan) : std::nullopt;
  return better && isWhollyReady(*better, problem, csrIndex, machine);
}

std::optional<Plan> planToFollow(const Wisdom &known, const Problem &problem, Rigor rigor) {
  if (!suffices(known.chosen, rigor))
    return std::nullopt;
  auto plan = parsePlan(known.plan);
  const Format *format = plan ? findFormat(plan->format) : nullptr;
  if (!format || !whyNotByItself(*format).empty() ||
      llvm::errorToBool(format->check(*plan, problem)))
    return std::nullopt;
  return plan;
}

// Returns the time of a product to compare with the cautious times of other plans. If it was
// measured, comparedUs is scaled by the measured over the predicted time, and no caution is added.
// A choice by trial counts as shorter by kNear, since a trial overrules predictions that are better
// by less than that.
static double productUsOf(const Wisdom &known, const Candidate &own) {
  const double kept = known.chosen == Chosen::tried ? 1 + kNear : 1;
  const double foreseen = own.cautiousUs() / kept;
  if (!known.measuredUs)
    return foreseen;
  const double measured = own.comparedUs * *known.measuredUs / own.predictedUs / kept;
  return known.chosen == Chosen::tried ? std::min(measured, foreseen) : measured;
}

bool isStillLeast(const Wisdom &known, int64_t products, const Ranked &ranked) {
  const std::vector<Candidate> &candidates = ranked.candidates;
  const auto own =
      llvm::find_if(candidates, [&](const Candidate &c) { return c.plan.text() == known.plan; });
  if (own == candidates.end())
    return false;
  const double scale =
      known.setupUs && own->setup.workUs > 0 ? *known.setupUs / own->setup.workUs : 1;
  // Plans that only the host packs come after all others when plans are ranked, too.
  constexpr double kComesLast = std::numeric_limits<double>::infinity();
  std::vector<Worth> worths;
  worths.reserve(candidates.size());
  for (const Candidate &c : candidates)
    worths.push_back(
        {!isAlwaysPackedOnHost(c) || isAlwaysPackedOnHost(*own) ? c.cautiousUs() : kComesLast,
         scale * c.setup.workUs + c.setup.kernelsUs});
  const auto index = static_cast<size_t>(own - candidates.begin());
  worths[index].productUs = productUsOf(known, *own);
  return chooseFor(products, worths) == index;
}

bool mayRecall(const Request &request) {
  return prescribesNothing(request) && request.rigor != Rigor::exhaustive;
}

static bool isToFollow(const Wisdom &known, const Plan &plan, const Session &session,
                       const Ranked *ranked) {
  const Request &request = session.request;
  if (!request.weighsSetup())
    return true;
  if (ranked)
    return isStillLeast(known, request.expectedProducts, *ranked);
  return known.products == request.expectedProducts &&
         isLoaded(plan, request.problem, session.csrIndex(), session.machine);
}

static llvm::Expected<std::optional<KnownChoice>> earlierChoice(Session &session,
                                                                const std::string &pattern) {
  const Request &request = session.request;
  const Machine &machine = session.machine;
  const auto under = [&](const ValueFacts *facts) {
    return recallOnce(choiceKey(request, pattern, machine, facts), machine.cache, request.rigor);
  };
  auto last = under(nullptr);
  if (!last || !request.choosesCoding())
    return last;
  auto facts = session.factsToCode();
  if (!facts)
    return facts.takeError();
  return *facts ? under(*facts) : last;
}

// With ranked plans, they take part in the decision.
static llvm::Expected<Proposals> proposed(Session &session, const std::string &pattern,
                                          const Ranked *ranked) {
  const Request &request = session.request;
  const Machine &machine = session.machine;
  auto found = earlierChoice(session, pattern);
  if (!found)
    return found.takeError();
  const std::optional<KnownChoice> &known = *found;
  if (!known || isOvertaken(*known, request.problem, session.csrIndex(), machine))
    return Proposals();
  const Wisdom &wisdom = known->wisdom;
  auto plan = planToFollow(wisdom, request.problem, request.rigor);
  if (!plan || (plan->values != request.values && !request.choosesCoding()) ||
      (plan->order != request.order && !request.choosesOrder()) || wisdom.signature.empty() ||
      !isToFollow(wisdom, *plan, session, ranked))
    return Proposals();
  if (!session.isProfiled())
    session.signature = wisdom.signature;
  return Proposals{.plans = {{.plan = std::move(*plan),
                              .predictedUs = wisdom.predictedUs,
                              .choice = {.by = ChosenBy::wisdom,
                                         .measuredUs = wisdom.measuredUs.value_or(0),
                                         .better = known->better}}}};
}

llvm::Expected<Proposals> proposeEarlierChoice(Session &session) {
  return andThen(session.identified(), [&](const std::optional<Identified> &identified) {
    return identified ? proposed(session, identified->pattern, nullptr)
                      : llvm::Expected<Proposals>(Proposals());
  });
}

llvm::Expected<Proposals> proposeEarlierChoiceAfterRanking(Session &session) {
  const bool weighs = session.request.weighsSetup();
  return andThen(session.ranked(), [&](const Ranked *ranked) -> llvm::Expected<Proposals> {
    auto profiled = session.profiled(); // both are known by now
    auto identified = session.identified();
    if (!profiled || !identified)
      return llvm::joinErrors(profiled.takeError(), identified.takeError());
    const std::string &pattern = (*profiled)->pattern;
    if (*identified && (*identified)->pattern == pattern && !weighs)
      return Proposals(); // sources asked for it already
    return proposed(session, pattern, weighs ? ranked : nullptr);
  });
}

// Returns true if a later set-up for as many products may follow the choice without ranking the
// other plans. Even with all their kernels loaded, these would save less time than the ranking
// takes.
static bool isToFollowUnranked(const Wisdom &made, const Candidate &candidate,
                               const Request &request, const Ranked &ranked,
                               const Machine &machine) {
  Worth own = withAllKernels(candidate);
  own.productUs = productUsOf(made, candidate);
  return request.weighsSetup() &&
         lostWithAllKernelsUs(ranked.candidates, own, request.expectedProducts) <=
             lookUs(machine.model);
}

static Chosen foundationOf(const Choice &choice, Rigor rigor) {
  if (choice.by == ChosenBy::measurement)
    return Chosen::measured;
  return rigor == Rigor::trial ? Chosen::tried : Chosen::predicted;
}

static void keepInMemory(const std::vector<CacheKey> &keys, const KnownChoice &choice,
                         const Cache &cache) {
  for (const CacheKey &key : keys)
    inMemory().keep(inMemoryKey(key, cache), choice);
}

// Writing a file takes as long as the rest of a small set-up, and the disk may be slow.
static void keepOnDisk(const std::vector<CacheKey> &keys, const Wisdom &wisdom, Machine &machine) {
  const auto keep = [keys, wisdom](Cache &cache) {
    for (const CacheKey &key : keys)
      remember(cache, key, wisdom);
  };
  if (!machine.storesBehind) {
    keep(machine.cache);
    return;
  }
  Cache cache = machine.cache;
  cache.forgetWarnings(); // the set-up reports them
  doBehind(
      [keep, cache = std::move(cache),
       tell = machine.storesBehind](const std::atomic<bool> &ends) mutable {
        keep(cache);
        for (const std::string &warning : cache.takeOwnWarnings())
          if (!ends)
            tell(warning);
      },
      AtEnd::done);
}

LearnedKeeper keeperOfLearned(Session &session, const BuiltChoice &made, const Rivals &rivals) {
  if (rivals.plans.empty() || !rivals.areAll || !prescribesNothing(session.request))
    return {};
  const Profiled &profiled = *llvm::cantFail(session.profiled());
  struct Known {
    std::vector<CacheKey> keys;
    Machine machine;
    std::vector<Wisdom> plans = {};
  };
  const auto known = std::make_shared<Known>(
      Known{keysToStore(session, profiled.pattern), withoutGpu(session.machine)});
  const auto add = [&](const BuiltChoice &each) {
    known->plans.push_back({.plan = each.built.plan.text(),
                            .chosen = Chosen::tried,
                            .predictedUs = each.predictedUs,
                            .object = each.built.key.id,
                            .signature = profiled.signature});
  };
  add(made);
  llvm::for_each(rivals.plans, add);
  return [known](size_t plan, double us) {
    Wisdom &fastest = known->plans[plan];
    fastest.measuredUs = us;
    keepInMemory(known->keys, {fastest}, known->machine.cache);
    keepOnDisk(known->keys, fastest, known->machine);
  };
}

void rememberChoice(Session &session, const BuiltChoice &chosen) {
  const Request &request = session.request;
  Machine &machine = session.machine;
  const Choice &choice = chosen.choice;
  const bool isNew = choice.by == ChosenBy::prediction || choice.by == ChosenBy::trial ||
                     choice.by == ChosenBy::measurement;
  if (!isNew || !prescribesNothing(request))
    return;
  const Profiled &profiled = *llvm::cantFail(session.profiled());
  const Ranked &ranked = *llvm::cantFail(session.ranked());
  const std::vector<CacheKey> keys = keysToStore(session, profiled.pattern);
  const Candidate &candidate = ranked.candidates[choice.index];
  Wisdom wisdom{.plan = candidate.plan.text(),
                .predictedUs = candidate.predictedUs,
                .object = chosen.built.key.id,
                .signature = profiled.signature};
  if (session.isTypical())
    wisdom.setupUs = 1000 * (session.times.profile + session.times.predict + chosen.built.ms.pack +
                             chosen.built.ms.emit);
  wisdom.chosen = foundationOf(choice, request.rigor);
  if (choice.measuredUs > 0)
    wisdom.measuredUs = choice.measuredUs;
  if (isToFollowUnranked(wisdom, candidate, request, ranked, machine))
    wisdom.products = request.expectedProducts;
  keepInMemory(keys, {wisdom, choice.better}, machine.cache);
  if (!choice.better)
    keepOnDisk(keys, wisdom, machine);
}

} // namespace specmv
