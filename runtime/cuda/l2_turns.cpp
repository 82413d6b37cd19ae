// Keeps the order in which plans multiply, and divides L2 among those that multiply in turn.
#include "runtime/cuda/l2_turns.h"

#include "models/predict/kept_in_l2.h"

#include <mutex>

namespace specmv {

// Products in a row that must allow more before more is kept.
constexpr int kProductsToRise = 16;
// Plans that are looked at. If more than these multiply in turn, the others are assumed not to.
constexpr int kMostPlans = 64;

L2Use L2Turns::withOthers(const L2Place &place, L2Use use) const {
  int plans = 0;
  for (const L2Place *other : order_) {
    if (other == &place || ++plans > kMostPlans)
      break;
    if (!other->hasMultiplied_)
      continue;
    use.arrayBytes += other->use_.arrayBytes;
    use.vectorBytes += other->use_.vectorBytes;
  }
  return use;
}

L2Place::L2Place(std::shared_ptr<L2Turns> turns) : turns_(std::move(turns)), kept_(kSixteenths) {
  const std::lock_guard<ForkMutex> lock(turns_->mutex_);
  at_ = turns_->order_.insert(turns_->order_.begin(), this);
}

L2Place::~L2Place() {
  const std::lock_guard<ForkMutex> lock(turns_->mutex_);
  turns_->order_.erase(at_);
}

int L2Place::sixteenthsFor(const L2Use &use) {
  const std::lock_guard<ForkMutex> lock(turns_->mutex_);
  const L2Use all = turns_->withOthers(*this, use);
  turns_->order_.splice(turns_->order_.begin(), turns_->order_, at_);
  use_ = use;
  hasMultiplied_ = true;
  const int now = sixteenthsKept(all.arrayBytes, all.vectorBytes, turns_->l2Bytes_);
  productsWithMore_ = now > kept_ ? productsWithMore_ + 1 : 0;
  if (now < kept_ || productsWithMore_ >= kProductsToRise) {
    kept_ = now;
    productsWithMore_ = 0;
  }
  return kept_;
}

} // namespace specmv
