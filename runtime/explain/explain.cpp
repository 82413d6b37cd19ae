// Finds the numbers that explain a choice.
#include "runtime/explain/explain.h"

#include "generator/formats/cusparse/margin.h"
#include "runtime/plan/worth.h"
#include "llvm/ADT/STLExtras.h"

namespace specmv {

std::optional<CusparseTime> predictedCusparse(const SparsityProfile &profile,
                                              const Problem &problem, const GpuModel &gpu) {
  const Fixed none;
  const GpuModel measured = withoutMargins(gpu);
  const PlanRequest request{profile, problem, measured, none};
  std::optional<CusparseTime> best;
  for (const Format &format : formats()) {
    if (!format.library)
      continue;
    for (const Candidate &c : priced(offerOf(format, request), request))
      if (!best || c.predictedUs < best->us)
        best = CusparseTime{c.plan.format, c.predictedUs,
                            hasMargin(format.rates) ? CusparseTime::By::rates
                                                    : CusparseTime::By::estimate};
  }
  return best;
}

// Returns true if earlier plans compete with the choice: they were measured too, or tie with it.
// Otherwise they did not fit.
static bool competesWithEarlier(const ChoiceMade &made) {
  const Choice &choice = made.choice;
  return choice.by == ChosenBy::measurement || choice.by == ChosenBy::trial ||
         choice.by == ChosenBy::learning ||
         (choice.by == ChosenBy::prediction && made.products == 0 &&
          ties(made.candidates[choice.index], made.candidates.front()));
}

static llvm::ArrayRef<Candidate> rivalsOf(const ChoiceMade &made) {
  return made.candidates.drop_front(competesWithEarlier(made) ? 0 : made.choice.index);
}

// Returns the causes, positive or not. Their sum is the difference of the times, and what the time
// between launches hides of it.
static std::vector<Loss> differencesOf(const Candidate &chosen, const Candidate &other,
                                       const ChoiceMade &made) {
  const ProductTime a = productTime(chosen.traffic, made.gpu);
  const ProductTime b = productTime(other.traffic, made.gpu);
  const auto times = static_cast<double>(std::max<int64_t>(1, made.products));
  const double setup = other.setup.totalUs() - chosen.setup.totalUs();
  const double launch = (b.launchUs - b.periodUs) - (a.launchUs - a.periodUs);
  std::vector<Loss> out = {{Cause::launch, times * launch},
                           {Cause::stream, times * (b.streamUs - a.streamUs)},
                           {Cause::gather, times * (b.gatherUs - a.gatherUs)},
                           {Cause::wait, times * (b.waitUs - a.waitUs)},
                           {Cause::host, times * (b.hostUs - a.hostUs)},
                           {Cause::setup, made.products > 0 ? setup : 0}};
  llvm::stable_sort(out, [](const Loss &l, const Loss &r) { return l.us > r.us; });
  return out;
}

static double valuesPerEntry(const Candidate &c, const ChoiceMade &made) {
  const auto slots = static_cast<double>(c.traffic.slots);
  return slots / static_cast<double>(std::max<int64_t>(1, made.size.nnz));
}

static RunnerUp comparedWith(const Candidate &chosen, const Candidate &other,
                             const ChoiceMade &made) {
  RunnerUp out{other, valuesPerEntry(other, made), differencesOf(chosen, other, made)};
  for (const Loss &each : out.losses)
    out.moreUs += each.us;
  const auto times = static_cast<double>(std::max<int64_t>(1, made.products));
  out.hiddenUs = times * (productTime(chosen.traffic, made.gpu).periodUs -
                          productTime(other.traffic, made.gpu).periodUs);
  llvm::erase_if(out.losses, [](const Loss &loss) { return loss.us <= 0; });
  return out;
}

static std::optional<RunnerUp> runnerUp(const Candidate &chosen, const ChoiceMade &made) {
  for (const Candidate &other : rivalsOf(made))
    if (other.plan.format != chosen.plan.format)
      return comparedWith(chosen, other, made);
  return std::nullopt;
}

static size_t countTies(const Candidate &chosen, const ChoiceMade &made) {
  const llvm::ArrayRef<Candidate> rivals = rivalsOf(made);
  const Candidate &best = made.choice.by == ChosenBy::prediction ? rivals.front() : chosen;
  return static_cast<size_t>(
      llvm::count_if(rivals, [&](const Candidate &c) { return ties(c, best); }));
}

// Balance is a reason if csr-vector spends most of its time waiting for its slowest thread. That
// thread must have much more to do than its other threads, and than the slowest thread of the
// chosen plan.
static std::optional<int64_t> passesOfCsrVector(const Candidate &chosen, const ChoiceMade &made) {
  constexpr int64_t kMuchMore = 2;
  const Candidate *csr = llvm::find_if(
      made.candidates, [](const Candidate &c) { return c.plan.format == "csr-vector"; });
  if (csr == made.candidates.end())
    return std::nullopt;
  const Traffic &t = csr->traffic;
  const double lost = csr->predictedUs - chosen.predictedUs;
  const double byWaiting =
      productTime(t, made.gpu).waitUs - productTime(chosen.traffic, made.gpu).waitUs;
  const bool isUneven = t.longestChain > 0 && t.longestChain * t.threads >= kMuchMore * t.steps &&
                        t.longestChain >= kMuchMore * chosen.traffic.longestChain;
  return isUneven && lost > 0 && byWaiting > lost / 2 ? std::optional(t.longestChain)
                                                      : std::nullopt;
}

// Without the margin that codings need, such a plan would rank before the chosen one.
static std::string codingOfLittleUse(const Candidate &chosen, const ChoiceMade &made) {
  if (made.choice.by != ChosenBy::prediction || made.products > 0 || !chosen.plan.values.empty())
    return "";
  for (const Candidate &other : made.candidates.drop_front(made.choice.index + 1))
    if (!other.plan.values.empty() && other.plan.format == chosen.plan.format &&
        other.plan.order == chosen.plan.order &&
        other.cautiousUs() * kWorthCoding < chosen.cautiousUs())
      return other.plan.values;
  return "";
}

// Adds the numbers that are known only after a ranking.
static void addComparisons(Explanation &to, const ChoiceMade &made) {
  const Candidate &chosen = to.chosen;
  to.valuesPerEntry = valuesPerEntry(chosen, made);
  to.time = productTime(chosen.traffic, made.gpu);
  to.periodUs = made.gpu.periodUs;
  to.runnerUp = runnerUp(chosen, made);
  to.isAlone = llvm::all_of(
      made.candidates, [&](const Candidate &c) { return c.plan.format == chosen.plan.format; });
  to.ties = countTies(chosen, made);
  to.csrVectorPasses = passesOfCsrVector(chosen, made);
  to.codingOfLittleUse = codingOfLittleUse(chosen, made);
}

static void addPayoff(Explanation &to, const ChoiceMade &made) {
  const auto setupUs = [&](KernelState kernels) {
    return wholeSetup(to.chosen, made.size, kernels, made.gpu).totalUs();
  };
  to.setupUs = setupUs(KernelState::loaded);
  to.knownSetupUs = to.setupUs - profileTime(made.size, KernelState::loaded, made.gpu).totalUs();
  to.compiledSetupUs = setupUs(KernelState::missing);
  if (!to.cusparse)
    return;
  const auto paysAfter = [&](double us) {
    return breakEven({.productUs = to.cusparse->us}, {.productUs = to.productUs, .setupUs = us});
  };
  to.paysAfter = paysAfter(to.setupUs);
  to.paysAfterKnown = paysAfter(to.knownSetupUs);
  to.paysAfterCompiling = paysAfter(to.compiledSetupUs);
}

Explanation explain(const ChoiceMade &made) {
  Explanation out{.chosen = made.candidates[made.choice.index],
                  .choice = made.choice,
                  .products = made.products,
                  .isEmpty = made.size.nnz == 0,
                  .cusparse = made.cusparse};
  const int64_t bytes = made.storedBytes.value_or(out.chosen.traffic.storedBytes);
  out.ofCsrBytes = static_cast<double>(bytes) / static_cast<double>(made.size.csrBytes());
  out.productUs = made.cusparse && made.measuredUs > 0 ? made.measuredUs : out.chosen.predictedUs;
  if (made.choice.by == ChosenBy::wisdom)
    out.chosen.traffic.storedBytes = bytes;
  else
    addComparisons(out, made);
  if (!out.cusparse && made.profile)
    out.cusparse = predictedCusparse(*made.profile, made.problem, made.gpu);
  addPayoff(out, made);
  return out;
}

} // namespace specmv
