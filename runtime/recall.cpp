// Looks up an earlier choice in the wisdom and builds it; stores a new choice.
#include "runtime/recall.h"

#include "generator/setup/packing.h"
#include "generator/sources.h"
#include "generator/trial.h"
#include "models/base/fork_mutex.h"
#include "models/base/lasting.h"
#include "runtime/threads/behind.h"
#include "runtime/worth.h"
#include "llvm/ADT/STLExtras.h"

#include <mutex>
#include <unordered_map>

namespace specmv {

static bool prescribesNothing(const Request &request) {
  return request.formats.empty() && request.fixed.empty() && request.maxBytes == 0;
}

// Choices for few products and for many differ. Within a power of ten isStillLeast() tells.
static std::string productsText(const Request &request) {
  return request.weighsSetup()
             ? " products 1e" +
                   std::to_string(std::to_string(request.expectedProducts).size() - 1) +
                   (request.csrIsLent ? " lent" : "")
             : "";
}

static CacheKey keyOf(const Request &request, const std::string &pattern, const Machine &machine) {
  // A prediction depends on the version of specmv and on the model's rates, so both are in the key;
  // so is where products run, since the host has fewer formats to choose from.
  const std::string gpu =
      llvm::formatv("{0} {1} specmv {2} model {3} on the {4}", machine.model->name, machine.arch,
                    SPECMV_VERSION_TEXT, machine.model.digest(), machine.gpu ? "GPU" : "host");
  return wisdomKey(pattern, gpu, problemText(request.problem) + productsText(request));
}

namespace {
// A choice that is followed until the kernel of the better plan, if there was one, is at hand.
struct KnownChoice {
  Wisdom wisdom;
  std::optional<BetterPlan> better = {};
};

// What is known without a look at the disk, where a look can take longer than a small set-up.
class ChoicesInMemory {
public:
  std::optional<KnownChoice> find(const std::string &key) {
    const std::lock_guard lock(mutex_);
    const auto found = choices_.find(key);
    return found == choices_.end() ? std::nullopt : std::optional(found->second);
  }
  void keep(const std::string &key, KnownChoice choice) {
    const std::lock_guard lock(mutex_);
    if (choices_.size() >= kMost)
      choices_.clear(); // the disk has them, or they are made again
    choices_.insert_or_assign(key, std::move(choice));
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    choices_.clear();
  }

private:
  static constexpr unsigned kMost = 4096;
  ForkMutex mutex_;
  std::unordered_map<std::string, KnownChoice> choices_;
};
} // namespace

static ChoicesInMemory &inMemory() {
  static Lasting<ChoicesInMemory> choices;
  return *choices;
}

void forgetChoices() { inMemory().clear(); }

// The places of the cache belong to the key: two caches of one process may know different choices.
static std::string inMemoryKey(const CacheKey &key, const Cache &cache) {
  return key.id + cache.places();
}

// What a choice must be founded on to be followed: for an estimate on anything, for a trial on one
// or better.
static bool suffices(Chosen chosen, Rigor rigor) {
  switch (rigor) {
  case Rigor::estimate:
    return true;
  case Rigor::trial:
    return chosen >= Chosen::tried;
  case Rigor::measure:
  case Rigor::exhaustive:
    break;
  }
  return chosen == Chosen::measured;
}

// A prediction does not hide what another process may have measured from a request that measures.
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

// A choice is overtaken when the better plan no longer lacks its kernel.
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

// The time of a product to weigh against predictions of others. A choice by trial stays unless
// another plan is predicted to be so much better that it would have been chosen in spite of what
// the trial found.
static double productUsOf(const Wisdom &known, double predictedUs) {
  const double us = known.measuredUs.value_or(predictedUs);
  return known.chosen == Chosen::tried ? std::min(us, predictedUs) / (1 + kNear) : us;
}

bool isStillLeast(const Wisdom &known, int64_t products, const Ranked &ranked) {
  const std::vector<Candidate> &candidates = ranked.candidates;
  const auto own =
      llvm::find_if(candidates, [&](const Candidate &c) { return c.plan.text() == known.plan; });
  if (own == candidates.end())
    return false;
  const double scale =
      known.setupUs && own->setup.workUs > 0 ? *known.setupUs / own->setup.workUs : 1;
  std::vector<Worth> worths;
  worths.reserve(candidates.size());
  for (const Candidate &c : candidates)
    worths.push_back({c.predictedUs, scale * c.setup.workUs + c.setup.kernelsUs});
  const auto index = static_cast<size_t>(own - candidates.begin());
  worths[index].productUs = productUsOf(known, own->predictedUs);
  return chooseFor(products, worths) == index;
}

bool mayRecall(const Request &request) {
  return prescribesNothing(request) && request.rigor != Rigor::exhaustive;
}

static bool areKernelsLoaded(const Plan &plan, const SourceMatrix &a, const Problem &problem,
                             const Machine &machine) {
  const Format &format = *findFormat(plan.format);
  const auto isLoaded = [&](const KernelSource &source) {
    return stateOf(source, machine) == KernelState::loaded;
  };
  return isLoaded(*sourceOfKernels(plan, problem, machine)) &&
         (!format.packing ||
          isLoaded(*keptSource(format.packing->source, plan, problem, a.given().indexType)));
}

static bool isToFollow(const Wisdom &known, const Plan &plan, const SourceMatrix &a,
                       const Request &request, const Machine &machine, const Ranked *ranked) {
  if (!request.weighsSetup())
    return true;
  if (ranked)
    return isStillLeast(known, request.expectedProducts, *ranked);
  return known.products == request.expectedProducts &&
         areKernelsLoaded(plan, a, request.problem, machine);
}

std::optional<Recalled> recallChoice(const SourceMatrix &a, const Request &request,
                                     const std::string &pattern, Machine &machine,
                                     const Ranked *ranked) {
  if (!mayRecall(request))
    return std::nullopt;
  const auto choiceKnown =
      recallOnce(keyOf(request, pattern, machine), machine.cache, request.rigor);
  if (!choiceKnown || isOvertaken(*choiceKnown, request.problem, a.given().indexType, machine))
    return std::nullopt;
  const Wisdom *const known = &choiceKnown->wisdom;
  const auto plan = planToFollow(*known, request.problem, request.rigor);
  if (!plan || known->signature.empty() || !isToFollow(*known, *plan, a, request, machine, ranked))
    return std::nullopt;
  auto built = build(a, *plan, request.problem, machine);
  if (!built) {
    llvm::consumeError(built.takeError());
    return std::nullopt;
  }
  const Choice choice{.index = 0,
                      .by = ChosenBy::wisdom,
                      .measuredUs = known->measuredUs.value_or(0),
                      .better = choiceKnown->better};
  Recalled out{.signature = known->signature,
               .ranked = {},
               .chosen = {.choice = choice, .built = std::move(*built)}};
  out.ranked.candidates.push_back({.plan = *plan, .predictedUs = known->predictedUs});
  out.chosen.buildMs = out.chosen.built.ms;
  out.chosen.warnings = out.chosen.built.warnings;
  return out;
}

// Whether a later set-up for so many products follows the choice without a look at the other plans:
// if all their kernels were loaded by then, it would lose no more than that look takes.
static bool isToFollowUnranked(const Wisdom &made, const Candidate &candidate,
                               const Request &request, const Ranked &ranked,
                               const Machine &machine) {
  Worth own = withAllKernels(candidate);
  own.productUs = productUsOf(made, own.productUs);
  return request.weighsSetup() &&
         lostWithAllKernelsUs(ranked.candidates, own, request.expectedProducts) <=
             lookUs(machine.model);
}

static Chosen foundationOf(const Choice &choice, Rigor rigor) {
  if (choice.by == ChosenBy::measurement)
    return Chosen::measured;
  return rigor == Rigor::trial ? Chosen::tried : Chosen::predicted;
}

// To write a file takes as long as the rest of a small set-up, and the disk may be slow.
static void keepOnDisk(const CacheKey &key, const Wisdom &wisdom, Machine &machine) {
  if (!machine.storesBehind) {
    remember(machine.cache, key, wisdom);
    return;
  }
  Cache cache = machine.cache;
  cache.forgetWarnings(); // which the set-up tells
  doBehind(
      [key, wisdom, cache = std::move(cache),
       tell = machine.storesBehind](const std::atomic<bool> &ends) mutable {
        remember(cache, key, wisdom);
        for (const std::string &warning : cache.takeOwnWarnings())
          if (!ends)
            tell(warning);
      },
      AtEnd::done);
}

void rememberChoice(const Request &request, const Profiled &profiled, const Ranked &ranked,
                    const BuiltChoice &chosen, std::optional<double> profileMs, Machine &machine) {
  const CacheKey key = keyOf(request, profiled.pattern, machine);
  const Choice &choice = chosen.choice;
  if (!prescribesNothing(request) || choice.by == ChosenBy::fallback)
    return;
  const Candidate &candidate = ranked.candidates[choice.index];
  Wisdom wisdom{.plan = candidate.plan.text(),
                .predictedUs = candidate.predictedUs,
                .object = chosen.built.key.id,
                .signature = profiled.signature};
  if (profileMs)
    wisdom.setupUs = 1000 * (*profileMs + ranked.ms + chosen.built.ms.pack + chosen.built.ms.emit);
  wisdom.chosen = foundationOf(choice, request.rigor);
  if (choice.measuredUs > 0)
    wisdom.measuredUs = choice.measuredUs;
  if (isToFollowUnranked(wisdom, candidate, request, ranked, machine))
    wisdom.products = request.expectedProducts;
  inMemory().keep(inMemoryKey(key, machine.cache), {wisdom, choice.better});
  if (!choice.better)
    keepOnDisk(key, wisdom, machine);
}

} // namespace specmv
