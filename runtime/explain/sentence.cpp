// Turns the numbers of an explanation into words.
#include "runtime/explain/sentence.h"

#include "generator/coding/coding.h"
#include "generator/order/order.h"
#include "models/base/units.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

// Returns "ell" for "ell ell.width=27 block=256".
static std::string formatOf(const BetterPlan &plan) {
  return llvm::StringRef(plan.plan).split(' ').first.str();
}

// The order of plans counts set-ups, and how large errors of predictions are (cautiousUs()).
static const char *slowerText(const Explanation &e) {
  if (e.choice.better->predictedUs <= e.chosen.predictedUs)
    return "";
  return e.products > 0 ? ", but ranks before it, since set-ups count too"
                        : ", but ranks before it, since its prediction is more reliable";
}

static std::string atHandText(const Explanation &e) {
  const std::string other = formatOf(*e.choice.better);
  return llvm::formatv("chosen because its kernel is available; {0}{1} is predicted {2}{3}: ",
                       other == e.chosen.plan.format ? "another plan of " : "", other,
                       shortTime(e.choice.better->predictedUs), slowerText(e));
}

static std::string openingText(const Explanation &e) {
  const std::string &format = e.chosen.plan.format;
  switch (e.choice.by) {
  case ChosenBy::measurement:
    return llvm::formatv("{0} was measured to be the fastest, {1}: ", format,
                         shortTime(e.choice.measuredUs));
  case ChosenBy::trial:
  case ChosenBy::learning:
    return llvm::formatv("{0} was the fastest of the plans that were tried, {1}: ", format,
                         shortTime(e.choice.measuredUs));
  case ChosenBy::wisdom:
    return format + " is an earlier choice" + (e.choice.better ? ", " + atHandText(e) : ": ");
  case ChosenBy::fallback:
    return format + " replaces a plan whose kernel is not available: ";
  case ChosenBy::prediction:
  case ChosenBy::structure: // no ranking explains these
  case ChosenBy::size:
  case ChosenBy::text:
    if (e.choice.better)
      return format + " is " + atHandText(e);
    break;
  }
  if (e.isAlone)
    return format + " is the only format to choose from: ";
  return e.products > 0 ? llvm::formatv("{0} wins for {1} products: ", format, e.products).str()
                        : format + " wins: ";
}

// Says nothing of the values of a matrix that has none.
static std::string gistOf(const Explanation &e) {
  const Plan &plan = e.chosen.plan;
  const char *ofValues = e.isEmpty ? "" : codingOf(plan).gist;
  return gistOfOrder(plan) + (*ofValues ? ofValues + std::string(", and ") : "") +
         findFormat(plan.format)->gist(plan);
}

// Rows are rounded up to a multiple of a warp, which is negligible padding; much is mentioned.
constexpr double kUnpadded = 1.005, kMorePadding = 1.1;

static std::string paddingText(double valuesPerEntry) {
  if (valuesPerEntry == 0)
    return "";
  return valuesPerEntry < kUnpadded
             ? " without padding"
             : llvm::formatv(" with {0:f2} values for each entry", valuesPerEntry).str();
}

static std::string bytesText(const Explanation &e) {
  return llvm::formatv("{0:f2} of CSR's bytes{1}", e.ofCsrBytes, paddingText(e.valuesPerEntry));
}

namespace {
struct Part {
  double ProductTime::*us;
  const char *does; // "of which 3 us ..."
};
} // namespace

constexpr Part kParts[] = {{&ProductTime::launchUs, "for launching"},
                           {&ProductTime::streamUs, "for streaming bytes"},
                           {&ProductTime::gatherUs, "for gathering x"},
                           {&ProductTime::waitUs, "for waiting for loads and passes"},
                           {&ProductTime::hostUs, "for work of the host"}};

static std::string timeText(const Explanation &e) {
  std::string us = "predicted " + shortTime(e.chosen.predictedUs);
  if (!e.time)
    return us;
  const Part *most = &kParts[0];
  for (const Part &part : kParts)
    if ((*e.time).*part.us > (*e.time).*most->us)
      most = &part;
  return llvm::formatv("{0}, of which {1} {2}", us, shortTime((*e.time).*most->us), most->does);
}

// --- Why another format is slower

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

// Describes the slowest thread; the number of passes is an estimate, rounded down.
static std::string passesText(int64_t passes, int64_t others, const char *whose) {
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

// Returns the first cause, and the second if the first is less than two thirds of the total.
static std::string causesText(const RunnerUp &next, const Explanation &e) {
  const std::vector<Loss> &losses = next.losses;
  if (losses.empty())
    return "";
  double all = 0;
  for (const Loss &loss : losses)
    all += loss.us;
  std::string out = " because " + lossText(losses[0], next, e);
  if (losses.size() > 1 && losses[0].us < all * 2 / 3)
    out += " and " + lossText(losses[1], next, e);
  return out;
}

static bool isNearlyEqual(const Candidate &a, const Candidate &b) {
  return ties(a, b) && ties(b, a);
}

static std::string runnerUpText(const Explanation &e) {
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

static std::string balanceText(const Explanation &e) {
  return e.csrVectorPasses ? ", and " + passesText(e.chosen.traffic.longestChain,
                                                   *e.csrVectorPasses, "csr-vector's ")
                           : "";
}

static std::string codingText(const std::string &coding) {
  const char *text = "; values={0} would save less than the {1:f0} percent that a coding must save";
  return coding.empty() ? "" : llvm::formatv(text, coding, 100 * (1 - kWorthCoding)).str();
}

std::string whySentence(const Explanation &e) {
  return llvm::formatv("{0}{1}; it stores {2}{3}; {4}{5}{6}", openingText(e), gistOf(e),
                       bytesText(e), balanceText(e), timeText(e), runnerUpText(e),
                       codingText(e.codingOfLittleUse));
}

// --- cuSPARSE and the set-up

static const char *basisOf(const CusparseTime &time) {
  switch (time.by) {
  case CusparseTime::By::rates:
    return "predicted with cuSPARSE's least measured share of the copy rate";
  case CusparseTime::By::estimate:
    return "predicted from estimated rates";
  case CusparseTime::By::measurement:
    break;
  }
  return "measured";
}

std::string gainSentence(const Explanation &e) {
  if (isLibraryCall(e.chosen.plan))
    return "none: the choice is a call of cuSPARSE";
  if (!e.cusparse)
    return e.choice.by == ChosenBy::wisdom
               ? "not known: without a profile cuSPARSE is not predicted"
               : "not known: none of cuSPARSE's formats has a plan that was priced";
  const bool isFaster = e.productUs <= e.cusparse->us;
  const double times = isFaster ? e.cusparse->us / e.productUs : e.productUs / e.cusparse->us;
  return llvm::formatv("{0:f2} times as {1} as the best of cuSPARSE, {2}: {3} ({4})", times,
                       isFaster ? "fast" : "slow", e.cusparse->format, shortTime(e.cusparse->us),
                       basisOf(*e.cusparse));
}

static std::string afterText(int64_t products) {
  if (products == kNever)
    return "never";
  return products == 1 ? "after 1 product" : llvm::formatv("after {0} products", products).str();
}

std::string paysSentence(const Explanation &e) {
  if (e.paysAfter == kNever)
    return e.cusparse ? "never: it is not faster than cuSPARSE"
                      : "after an unknown number of products";
  return llvm::formatv("{0} ({1} of set-up, kernels loaded), {2} once the choice is known ({3}), "
                       "{4} if all kernels must be compiled ({5}); predicted, against cuSPARSE's "
                       "fastest without a set-up",
                       afterText(e.paysAfter), shortTime(e.setupUs), afterText(e.paysAfterKnown),
                       shortTime(e.knownSetupUs), afterText(e.paysAfterCompiling),
                       shortTime(e.compiledSetupUs));
}

std::string shortSentence(const Explanation &e) {
  std::string out = llvm::formatv("{0}{1}; {2}; predicted {3}", openingText(e), gistOf(e),
                                  bytesText(e), shortTime(e.chosen.predictedUs));
  if (!e.cusparse || isLibraryCall(e.chosen.plan))
    return out;
  const bool isMeasured = e.cusparse->by == CusparseTime::By::measurement;
  out = llvm::formatv("{0}; {1}{2:f2} times as fast as {3}; set-up pays {4}", out,
                      isMeasured ? "" : "as predicted, ", e.cusparse->us / e.productUs,
                      e.cusparse->format, afterText(e.paysAfter));
  if (e.paysAfter == kNever)
    return out;
  return llvm::formatv("{0}, {1} once the choice is known", out, afterText(e.paysAfterKnown));
}

} // namespace specmv
