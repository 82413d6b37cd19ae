// Finds the numbers that explain a choice.
#include "runtime/explain/explain.h"

#include "generator/formats/cusparse/margin.h"
#include "models/base/text.h"
#include "runtime/plan/worth.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

// --- Better --------------------------------------------------------------------------------------

// Says which plan was predicted to be better than the choice, for lack of its kernel.

// Returns "ell" for "ell ell.width=27 block=256".
static std::string formatOf(const BetterPlan &plan) {
  return llvm::StringRef(plan.plan).split(' ').first.str();
}

// The coding of values may be all that distinguishes the two plans.
std::string replacedText(const BetterPlan &better) {
  const auto [plan, coding] = llvm::StringRef(better.plan).split(" values=");
  const std::string values =
      coding.empty() ? "" : (" with values=" + coding.split(' ').first).str();
  return formatOf(better) + values + ", predicted " + shortTime(better.predictedUs) + ",";
}

// The order of plans counts set-ups, and how large errors of predictions are (cautiousUs()).
static const char *slowerText(const Explanation &e) {
  if (e.choice.better->predictedUs <= e.chosen.predictedUs)
    return "";
  return e.products > 0 ? ", but ranks before it, since set-ups count too"
                        : ", but ranks before it, since its prediction is more reliable";
}

std::string atHandText(const Explanation &e) {
  const std::string other = formatOf(*e.choice.better);
  return llvm::formatv("chosen because its kernel is available; {0}{1} is predicted {2}{3}: ",
                       other == e.chosen.plan.format ? "another plan of " : "", other,
                       shortTime(e.choice.better->predictedUs), slowerText(e));
}

// --- Explain -------------------------------------------------------------------------------------

// Finds the numbers that explain a choice.

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

// --- Runner up -----------------------------------------------------------------------------------

// Says why another format is slower, in times that add up.

// Rows are rounded up to a multiple of a warp, which is negligible padding; much is mentioned.
constexpr double kUnpadded = 1.005, kMorePadding = 1.1;

std::string paddingText(double valuesPerEntry) {
  if (valuesPerEntry == 0)
    return "";
  return valuesPerEntry < kUnpadded
             ? " without padding"
             : llvm::formatv(" with {0:f2} values for each entry", valuesPerEntry).str();
}

// A time that changes the third digit of another one; less is not told.
static bool shows(double us, double beside) { return us > beside / 200; }

// Returns the quotient if it exceeds rounding errors; otherwise 1.
static double timesOf(double of, double as) { return as > 0 && of > 1.01 * as ? of / as : 1; }

static double entriesOf(const Traffic &t) {
  return static_cast<double>(t.streamBytes + t.stagedBytes);
}

static std::string streamText(const Traffic &t, const Explanation &e) {
  const Traffic &own = e.chosen.traffic;
  const double bytes = timesOf(entriesOf(t), entriesOf(own));
  const double values = e.runnerUp->valuesPerEntry;
  const bool isPadded = values > kMorePadding * std::max(1.0, e.valuesPerEntry);
  std::string out;
  if (bytes > 1)
    out = llvm::formatv("it streams {0:f2} times as many bytes{1}", bytes,
                        isPadded ? paddingText(values) : "");
  if (timesOf(own.pace.efficiency, t.pace.efficiency) > 1)
    out += llvm::formatv("{0} {1:f2} of a copy's rate instead of {2:f2}",
                         out.empty() ? "its kernel reaches" : " at", t.pace.efficiency,
                         own.pace.efficiency);
  return out;
}

static std::string gatherText(const Traffic &t, const Explanation &e) {
  const Traffic &own = e.chosen.traffic;
  if (own.gatherBytes == 0)
    return llvm::formatv("it gathers {0} of x, {1} none",
                         shortBytes(static_cast<double>(t.gatherBytes)), e.chosen.plan.format);
  const double bytes =
      timesOf(static_cast<double>(t.gatherBytes), static_cast<double>(own.gatherBytes));
  return bytes > 1 ? llvm::formatv("it gathers {0:f2} times as many bytes of x", bytes).str() : "";
}

std::string passesText(int64_t passes, int64_t others, const char *whose) {
  return llvm::formatv("its slowest thread makes {0} instead of {1}{2}",
                       passes == 1 ? "1 pass" : llvm::formatv("{0} passes", passes).str(), whose,
                       others > 0 ? std::to_string(others) : "less than one");
}

static std::string waitText(const Traffic &t, const Explanation &e) {
  const int64_t own = e.chosen.traffic.longestChain;
  return t.longestChain > own ? passesText(t.longestChain, own, "") : "";
}

static std::string launchText(const Traffic &t, const Explanation &e) {
  const double own = e.chosen.traffic.launches;
  return t.launches > own
             ? llvm::formatv("it takes {0:f0} launches instead of {1:f0}", t.launches, own).str()
             : "";
}

namespace {
struct CauseText {
  Cause cause;
  // Names the work that it does in addition to that of the chosen plan; "" if only the times can be
  // compared.
  std::string (*of)(const Traffic &, const Explanation &);
  const char *otherwise;
};
} // namespace

constexpr CauseText kCauses[] = {{Cause::launch, launchText, "its launches take longer"},
                                 {Cause::stream, streamText, "its bytes take longer"},
                                 {Cause::gather, gatherText, "gathering x takes longer"},
                                 {Cause::wait, waitText, "its threads wait longer"},
                                 {Cause::host, nullptr, "the host takes a part in each product"},
                                 {Cause::setup, nullptr, "its set-up takes longer"}};

static std::string lossText(const Loss &loss, const RunnerUp &next, const Explanation &e) {
  const CauseText &text =
      *llvm::find_if(kCauses, [&](const CauseText &t) { return t.cause == loss.cause; });
  const std::string why = text.of ? text.of(next.candidate.traffic, e) : "";
  return llvm::formatv("{0} ({1} more)", why.empty() ? text.otherwise : why, shortTime(loss.us));
}

// Makes the times that are told add up to the difference.
static std::string restText(double toldUs, const RunnerUp &next, double beside) {
  const bool hides = shows(next.hiddenUs, beside);
  const double rest = next.moreUs - toldUs - (hides ? 0 : next.hiddenUs);
  std::string out;
  if (shows(rest, beside))
    out += llvm::formatv(", and {0} more for other reasons", shortTime(rest));
  else if (shows(-rest, beside))
    out += llvm::formatv(", but saves {0} elsewhere", shortTime(-rest));
  if (hides)
    out += llvm::formatv(", of which {0} would pass between launches anyway",
                         shortTime(next.hiddenUs));
  return out;
}

// Returns the first cause, and the second if the first is less than two thirds of the total.
static std::string causesText(const RunnerUp &next, const Explanation &e) {
  const std::vector<Loss> &losses = next.losses;
  if (losses.empty())
    return "";
  double all = 0;
  for (const Loss &loss : losses)
    all += loss.us;
  std::string out = " because " + lossText(losses[0], next, e);
  double told = losses[0].us;
  if (losses.size() > 1 && losses[0].us < all * 2 / 3) {
    out += " and " + lossText(losses[1], next, e);
    told += losses[1].us;
  }
  const double beside =
      e.products > 0 ? worthOf(next.candidate).totalUs(e.products) : next.candidate.predictedUs;
  return out + restText(told, next, beside);
}

static bool isNearlyEqual(const Candidate &a, const Candidate &b) {
  return ties(a, b) && ties(b, a);
}

std::string runnerUpText(const Explanation &e) {
  if (!e.runnerUp)
    return e.time ? ", and there is no other format to compare it with" : "";
  const Candidate &other = e.runnerUp->candidate;
  const std::string &format = other.plan.format;
  if (e.products > 0)
    return llvm::formatv("; its set-up and all products take {0}, those of {1} {2}{3}",
                         shortTime(worthOf(e.chosen).totalUs(e.products)), format,
                         shortTime(worthOf(other).totalUs(e.products)), causesText(*e.runnerUp, e));
  const std::string next =
      llvm::formatv("{0} would take {1}", format, shortTime(other.predictedUs));
  if (e.choice.by == ChosenBy::prediction && isNearlyEqual(e.chosen, other))
    return llvm::formatv("; {0} plans are within 3 percent, and this is {1} of them; {2}", e.ties,
                         e.choice.index == 0 ? "the first" : "one", next);
  return "; " + next + (other.predictedUs > e.chosen.predictedUs ? causesText(*e.runnerUp, e) : "");
}

} // namespace specmv
