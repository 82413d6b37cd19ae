// Says why another format is slower, in times that add up.
#include "runtime/explain/runner_up.h"

#include "models/base/units.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv {

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
