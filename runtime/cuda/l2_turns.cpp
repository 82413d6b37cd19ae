// Keeps the order in which plans multiply, and divides L2 among those that multiply in turn.
#include "runtime/cuda/l2_turns.h"

#include "models/predict/kept_in_l2.h"

#include <algorithm>
#include <mutex>

namespace specmv {

// Products in a row that must allow more before more is kept: more than a solver multiplies by one
// matrix before it goes on to the next (chosen, not measured).
constexpr int kProductsToRise = 16;
// Plans that a product counts, so that it takes the host little time. If more of them multiply in
// turn, the last ones do not count (chosen, not measured).
constexpr int kMostPlans = 64;

L2Use L2Turns::withOthers(const L2Turn &turn, L2Use use) const {
  int plans = 0;
  for (const L2Turn *other : order_) {
    if (other == &turn || plans == kMostPlans)
      break;
    if (!other->hasMultiplied_)
      continue;
    ++plans;
    use.arrayBytes += other->use_.arrayBytes;
    use.vectorBytes += other->use_.vectorBytes;
  }
  return use;
}

L2Turn::L2Turn(std::shared_ptr<L2Turns> turns) : turns_(std::move(turns)) {
  const std::lock_guard<ForkMutex> lock(turns_->mutex_);
  at_ = turns_->order_.insert(turns_->order_.begin(), this);
}

L2Turn::~L2Turn() {
  const std::lock_guard<ForkMutex> lock(turns_->mutex_);
  turns_->order_.erase(at_);
}

L2Place::L2Place(std::shared_ptr<L2Turn> turn) : turn_(std::move(turn)), kept_(kSixteenths) {}

int L2Place::sixteenthsFor(const L2Use &use) {
  L2Turns &turns = *turn_->turns_;
  const std::lock_guard<ForkMutex> lock(turns.mutex_);
  const L2Use all = turns.withOthers(*turn_, use);
  turns.order_.splice(turns.order_.begin(), turns.order_, turn_->at_);
  turn_->use_ = use;
  turn_->hasMultiplied_ = true;
  const int now = sixteenthsKept(all.arrayBytes, all.vectorBytes, turns.l2Bytes_);
  if (now > kept_) {
    allowed_ = productsWithMore_ == 0 ? now : std::min(allowed_, now);
    if (++productsWithMore_ < kProductsToRise)
      return kept_;
  }
  kept_ = now > kept_ ? allowed_ : now;
  productsWithMore_ = 0;
  return kept_;
}

} // namespace specmv
