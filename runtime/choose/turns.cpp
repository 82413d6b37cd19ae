// Builds rivals of the choice, and implements the rounds of their contest.
#include "runtime/choose/turns.h"

#include "generator/setup/packing.h"
#include "models/predict/traffic.h"
#include "runtime/kernels/compile_beside.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace specmv {

// --- Rivals --------------------------------------------------------------------------------------

// Chooses rivals among the ranked plans, and builds them.

// Chosen: with the choice as many as a trial runs.
constexpr size_t kRivals = 2;
// A rival may be predicted to take this many times as long as the choice, with the caution of both.
// For 118 products of more than 9 us that were measured on an H200, the fastest of the plans that
// would be compared takes 1.0013 times as long as the fastest of all. With 1.3 it is the same, and
// comparing would take a third longer.
constexpr double kMaySurprise = 1.2;

static bool isWorthComparing(const Candidate &candidate, const Candidate &chosen,
                             const std::vector<std::string> &formats) {
  return candidate.cautiousUs() <= kMaySurprise * chosen.cautiousUs() &&
         !isLibraryCall(candidate.plan) && !llvm::is_contained(formats, candidate.plan.format) &&
         findFormat(candidate.plan.format)->packing;
}

// Launching and timing a product takes the host so many times as long as an empty launch: 7.5 to
// 9 us on an H100, whose period is 3 us. There, learning between 5 and 9 us chose plans that were a
// quarter slower.
constexpr double kPeriodOfProduct = 3;

// Returns true if the GPU would wait for a host that times turns, so that events would tell the
// host's times.
static bool isHiddenByLaunches(const Candidate &chosen, const GpuModel &gpu) {
  return predictReplayUs(chosen.traffic, gpu) <= kPeriodOfProduct * gpu.periodUs;
}

static bool learns(const Session &session, const BuiltChoice &made) {
  const Request &request = session.request;
  return request.rigor == Rigor::online && session.machine.gpu &&
         made.choice.by == ChosenBy::prediction && !isLibraryCall(made.built.plan) &&
         request.problem.vectors == 1 && !request.problem.isFused;
}

// Adds a rival. If it cannot be built, it is left out.
static llvm::Error addRival(Session &session, const Candidate &candidate, size_t index,
                            Rivals &out) {
  Proposal proposal{.plan = candidate.plan,
                    .predictedUs = candidate.predictedUs,
                    .choice = {.index = index, .by = ChosenBy::prediction}};
  auto built = build(session, proposal);
  if (!built) {
    out.areAll = false;
    session.warnings.push_back(candidate.plan.text() + " is not compared with the choice: " +
                               describe(built.takeError()).second);
    return unlessCancelled(session.machine);
  }
  session.times.build += built->ms;
  out.plans.push_back({.choice = proposal.choice,
                       .built = std::move(*built),
                       .predictedUs = candidate.predictedUs});
  return llvm::Error::success();
}

llvm::Expected<Rivals> rivalsToLearn(Session &session, const BuiltChoice &made) {
  Rivals out;
  if (!learns(session, made))
    return out;
  auto ranked = session.ranked();
  if (!ranked)
    return ranked.takeError();
  const std::vector<Candidate> &candidates = (*ranked)->candidates;
  const Candidate &chosen = candidates[made.choice.index];
  const Machine &machine = session.machine;
  if (isHiddenByLaunches(chosen, machine.model))
    return out;
  out.mayCompare = true;
  const Problem &problem = session.request.problem;
  const bool mayCompile = machine.kernels != KernelKind::atHand && !machine.onlyPacks;
  std::vector<std::string> formats = {chosen.plan.format};
  int64_t bytes = made.built.layout.storedBytes();
  for (size_t i = 0; i < candidates.size() && formats.size() <= kRivals; ++i) {
    const Candidate &candidate = candidates[i];
    if (!isWorthComparing(candidate, chosen, formats))
      continue;
    const int64_t with = bytes + candidate.traffic.storedBytes;
    if (session.request.maxBytes > 0 && with > session.request.maxBytes)
      continue;
    bytes = with;
    formats.push_back(candidate.plan.format);
    if (!mayCompile && !isWhollyReady(candidate.plan, problem, session.csrIndex(), machine)) {
      out.areAll = false;
      if (!machine.onlyPacks)
        compileForLater(candidate.plan.text(), problem, session.csrIndex(), machine);
    } else if (llvm::Error error = addRival(session, candidate, i, out))
      return error;
  }
  const auto isThere = [&](const BuiltChoice &rival) {
    return rival.built.plan.text() == made.choice.better->plan;
  };
  if (made.choice.better && llvm::none_of(out.plans, isThere))
    out.areAll = false; // the best prediction is missing
  return out;
}

// --- Turns ---------------------------------------------------------------------------------------

// Implements the rounds of a contest in a program's own products.

// The number of timed products in a turn: kTimedTogether of the round if they are timed together,
// kTimedEach in every round if each is timed by itself. A hundred products are to take at most 1.05
// times as long as with the fastest plan alone (simulated in the tests; 1.07 for three plans of 20
// us that are equal). The first product of a turn may take longer than the next, so rounds are few.
// An event makes the next product wait for 3.3 us (H200), so fewer products have a time of their
// own.
constexpr size_t kRounds = 3;
constexpr size_t kTimedTogether[kRounds] = {2, 6, 12}, kTimedEach = 2;
// Events have a resolution of half a microsecond (CUDA's documentation). The errors at the begin
// and at the end of a time are evenly distributed over it, so each has a deviation of 0.5
// sqrt(1/12) us, and both together one of 0.2 us.
constexpr double kResolutionUs = 0.2;
// Short products that are timed together may wait for the host besides. (Chosen: with 0.2, plans of
// 11 us were found faster than those of 9.9 on an H100.)
constexpr double kTogetherUs = 0.5;
// The deviation of a product's time, as a share of it (an estimate).
constexpr double kVaries = 0.01;
// Products that took longer than the fastest ones by more had to share the GPU.
constexpr double kDisturbed = 1.05;
// The first turn is short, so a plan must be this much slower to be out after the first round. One
// that is much slower has no turn in a later round even before the others have theirs.
constexpr double kSlowerAtOnce = 1.08, kHopelesslySlower = 1.2;
// Afterwards it must be slower by this many times the errors of both.
constexpr double kErrors = 2.5;
// Plans that differ by less are equal.
constexpr double kSame = 0.002;

Turns::Turns(size_t plans, bool timesEach) : plans_(plans), timesEach_(timesEach), left_(plans) {
  std::iota(left_.begin(), left_.end(), size_t{0});
}

size_t Turns::timed() const {
  size_t sum = 0;
  for (const Plan &plan : plans_)
    for (const Timed &time : plan.times)
      sum += time.products;
  return sum;
}

size_t Turns::timedOfTurn() const { return timesEach_ ? kTimedEach : kTimedTogether[round_]; }

size_t Turns::together() const { return timesEach_ ? 1 : timedOfTurn(); }

// Returns the mean over the products that were not disturbed, since a product that has to share the
// GPU takes longer and none takes less than it must.
Turns::Typical Turns::typicalOf(const std::vector<Timed> &times) {
  double least = times[0].us;
  for (const Timed &time : times)
    least = std::min(least, time.us);
  double products = 0, us = 0, counted = 0;
  for (const Timed &time : times)
    if (time.us <= kDisturbed * least + kResolutionUs) {
      products += static_cast<double>(time.products);
      us += static_cast<double>(time.products) * time.us;
      ++counted;
    }
  const double mean = us / products, resolution = products > counted ? kTogetherUs : kResolutionUs;
  return {mean, std::hypot(resolution * std::sqrt(counted) / products,
                           kVaries * mean / std::sqrt(products))};
}

void Turns::findBest() {
  for (const size_t plan : left_)
    if (us(plan) > 0 && (us(best_) == 0 || us(plan) < us(best_)))
      best_ = plan;
}

bool Turns::isHopeless(size_t plan) const {
  return us(plan) > kHopelesslySlower * us(best_) && us(best_) > 0;
}

bool Turns::isClearlySlower(size_t plan) const {
  if (plan == best_)
    return false;
  const Typical &own = plans_[plan].typical, &best = plans_[best_].typical;
  if (own.us == 0) // none of its products could be timed
    return true;
  const double error = kErrors * std::hypot(own.error, best.error);
  const double least = (round_ == 0 ? kSlowerAtOnce : 1 + kSame) * best.us;
  return own.us > std::max(best.us + error, least);
}

bool Turns::isAwaiting() const {
  return llvm::any_of(plans_, [](const Plan &plan) { return plan.awaited > 0; });
}

void Turns::nextPlan() {
  ++at_;
  done_ = 0;
}

void Turns::endRound() {
  findBest();
  llvm::erase_if(left_, [&](size_t plan) { return isClearlySlower(plan); });
  if (++round_ == kRounds)
    left_ = {best_};
  // While the round waited for its times, all products ran with the fastest plan, so it begins the
  // next round too.
  llvm::stable_sort(left_, [&](size_t a, size_t b) { return (a == best_) > (b == best_); });
  at_ = done_ = 0;
}

Turn Turns::next() {
  if (at_ == left_.size() && !isAwaiting() && !isOver())
    endRound();
  while (at_ < left_.size() && done_ == 0 && isHopeless(left_[at_]))
    nextPlan();
  if (isOver() || at_ == left_.size())
    return {best_, false, false};
  const size_t plan = left_[at_];
  const bool isTimed = done_ > 0, isLast = done_ == timedOfTurn();
  const Turn out{plan, isTimed && (timesEach_ || done_ == 1), isTimed && (timesEach_ || isLast)};
  plans_[plan].awaited += out.begins;
  ++done_;
  if (isLast)
    nextPlan();
  return out;
}

void Turns::take(size_t plan, double us) {
  Plan &its = plans_[plan];
  --its.awaited;
  // A round ends only when no time is awaited, so this one is of the present round.
  its.times.push_back({together(), us / static_cast<double>(together())});
  its.typical = typicalOf(its.times);
  findBest();
}

void Turns::lose(size_t plan) { --plans_[plan].awaited; }

} // namespace specmv
