// Looks up an earlier choice in the wisdom and builds it; stores a new choice.
#include "runtime/recall.h"

#include "runtime/worth.h"
#include "llvm/ADT/STLExtras.h"

namespace specmv {

static bool prescribesNothing(const Request &request) {
  return request.formats.empty() && request.fixed.empty();
}

// Choices for few products and for many differ. Within a power of ten isStillLeast() tells.
static std::string productsText(const Request &request) {
  return request.weighsSetup()
             ? " products 1e" + std::to_string(std::to_string(request.expectedProducts).size() - 1)
             : "";
}

static CacheKey keyOf(const Request &request, const std::string &signature,
                      const Machine &machine) {
  // A prediction depends on the version of specmv and on the model's rates, so both are in the key.
  const std::string gpu = llvm::formatv("{0} {1} specmv {2} model {3}", machine.model.name,
                                        machine.arch, SPECMV_VERSION, digestOf(machine.model));
  return wisdomKey(signature, gpu, problemText(request.problem) + productsText(request));
}

std::optional<Plan> planToFollow(const Wisdom &known, Rigor rigor) {
  if (rigor != Rigor::estimate && known.chosen != Chosen::measured)
    return std::nullopt;
  auto plan = parsePlan(known.plan);
  const Format *format = plan ? findFormat(plan->format) : nullptr;
  return format && whyNotByItself(*format).empty() ? std::move(plan) : std::nullopt;
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
  worths[index].productUs = known.measuredUs.value_or(own->predictedUs);
  return chooseFor(products, worths) == index;
}

std::optional<Recalled> recallChoice(const SourceMatrix &a, const Request &request,
                                     const std::string &signature, Machine &machine,
                                     const Ranked *ranked) {
  // An exhaustive search measures all plans again.
  if (!prescribesNothing(request) || request.rigor == Rigor::exhaustive)
    return std::nullopt;
  const auto known = recall(machine.cache, keyOf(request, signature, machine));
  const auto plan = known ? planToFollow(*known, request.rigor) : std::nullopt;
  if (!plan || (ranked && !isStillLeast(*known, request.expectedProducts, *ranked)))
    return std::nullopt;
  auto built = build(a, *plan, request.problem, machine);
  if (!built) {
    llvm::consumeError(built.takeError());
    return std::nullopt;
  }
  const Choice choice{
      .index = 0, .by = ChosenBy::wisdom, .measuredUs = known->measuredUs.value_or(0)};
  Recalled out{.ranked = {}, .chosen = {.choice = choice, .built = std::move(*built)}};
  out.ranked.candidates.push_back({.plan = *plan, .predictedUs = known->predictedUs});
  out.chosen.buildMs = out.chosen.built.ms;
  out.chosen.warnings = out.chosen.built.warnings;
  return out;
}

void rememberChoice(const Request &request, const std::string &signature, const Ranked &ranked,
                    const BuiltChoice &chosen, double profileMs, Machine &machine) {
  const CacheKey key = keyOf(request, signature, machine);
  const Choice &choice = chosen.choice;
  if (!prescribesNothing(request) || choice.by == ChosenBy::fallback ||
      (!machine.gpu && recall(machine.cache, key)))
    return;
  const Candidate &candidate = ranked.candidates[choice.index];
  Wisdom wisdom{.plan = candidate.plan.text(),
                .predictedUs = candidate.predictedUs,
                .object = chosen.built.key.id,
                .setupUs = 1000 * (profileMs + chosen.built.ms.pack + chosen.built.ms.emit)};
  if (choice.by == ChosenBy::measurement) {
    wisdom.chosen = Chosen::measured;
    wisdom.measuredUs = choice.measuredUs;
  }
  remember(machine.cache, key, wisdom);
}

} // namespace specmv
