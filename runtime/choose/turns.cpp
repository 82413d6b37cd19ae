// Implements the rounds of a contest in a program's own products.
#include "runtime/choose/turns.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace specmv {

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
