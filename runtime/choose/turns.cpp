// Implements the rounds of a contest in a program's own products.
#include "runtime/choose/turns.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace specmv {

// Timed products of a turn in each round. A hundred products are to take at most 1.05 times as long
// as with the fastest plan alone (simulated in the tests). Each change of the plan costs up to one
// more product if the matrix fits L2, so rounds are few and grow.
constexpr size_t kTimed[] = {2, 6, 12};
// Times of one product are off by up to half a microsecond, the resolution of events, evenly
// distributed (CUDA's documentation; the square root of 1/12 of that).
constexpr double kResolutionUs = 0.15;
// Two times say little about how much they vary, so a plan must be this much slower to be out after
// the first round, or even before its turn ends.
constexpr double kSlowerAtOnce = 1.08, kHopelesslySlower = 1.2;
// Afterwards it must be slower by this many times the errors of both.
constexpr double kErrors = 2.5;
// Plans that differ by less are equal.
constexpr double kSame = 0.002;

Turns::Turns(size_t plans) : plans_(plans), left_(plans) {
  std::iota(left_.begin(), left_.end(), size_t{0});
}

size_t Turns::timed() const {
  size_t sum = 0;
  for (const Plan &plan : plans_)
    sum += plan.times.size();
  return sum;
}

// Returns the mean without the longest quarter, since a product that had to share the GPU takes
// longer and none takes less than it must.
Turns::Typical Turns::typicalOf(std::vector<double> times) {
  llvm::sort(times);
  times.resize(times.size() - times.size() / 4);
  const auto n = static_cast<double>(times.size());
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / n;
  double squares = 0;
  for (const double us : times)
    squares += (us - mean) * (us - mean);
  const double deviation = std::max(std::sqrt(squares / std::max(1.0, n - 1)), kResolutionUs);
  return {mean, deviation / std::sqrt(n)};
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
  if (++round_ == std::size(kTimed))
    left_ = {best_};
  // The fastest has had the products meanwhile, so it begins.
  llvm::stable_sort(left_, [&](size_t a, size_t b) { return (a == best_) > (b == best_); });
  at_ = done_ = 0;
}

Turn Turns::next() {
  if (at_ == left_.size() && !isAwaiting() && !isOver())
    endRound();
  while (at_ < left_.size() && isHopeless(left_[at_]))
    nextPlan();
  if (isOver() || at_ == left_.size())
    return {best_, false};
  const size_t plan = left_[at_], all = 1 + kTimed[round_];
  const bool isTimed = done_ > 0;
  plans_[plan].awaited += isTimed;
  if (++done_ == all)
    nextPlan();
  return {plan, isTimed};
}

void Turns::take(size_t plan, double us) {
  Plan &its = plans_[plan];
  --its.awaited;
  its.times.push_back(us);
  its.typical = typicalOf(its.times);
  findBest();
}

void Turns::lose(size_t plan) { --plans_[plan].awaited; }

} // namespace specmv
