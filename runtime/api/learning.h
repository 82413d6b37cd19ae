// Learns which of a few plans is the fastest while a program multiplies (SPECMV_RIGOR_ONLINE): they
// take turns in the program's own products, which are timed by events on its stream. Nothing waits.
#pragma once

#include "runtime/api/setup_task.h"
#include "runtime/choose/turns.h"
#include "runtime/cuda/streams.h"

#include "models/base/json_text.h"

namespace specmv {

// Used by one thread at a time. The first plan is the products `own` of an ApiPlan, which every
// call gets, since the fastest plan takes their place in the end.
//
// Rivals run on one stream only, so that the times are those of turns. Learning ends, with what is
// the fastest so far, as soon as a product is captured, since graphs must keep their kernels, or is
// put on another stream, or has a vector on the host, and when the plan is used in another way that
// must not change later.
class Learning {
public:
  // Takes the rivals of `own`; null if it has none.
  static std::unique_ptr<Learning> of(PlanProducts &own);

  using Product = llvm::function_ref<llvm::Error(const GpuProduct &)>;
  // Puts a product of the plan whose turn it is on the stream, by calling `product` once.
  llvm::Error run(PlanProducts &own, StreamHandle stream, Product product);
  // Ends the learning: later products are those of the fastest plan so far.
  void end(PlanProducts &own);
  // Ends it with the first plan, if the rivals must not be used any more.
  void keepFirst() { isOver_ = true; }

  // Returns true until run() has nothing more to do than `product`.
  bool isActive() const { return !isOver_; }
  // Returns the number of products that will not run any more, since the learning has ended.
  size_t losers() const { return isOver_ ? rivals_.size() : 0; }
  std::vector<PlanProducts> takeLosers() noexcept { return std::exchange(rivals_, {}); }
  // The plans that still take turns besides `own`; empty when the learning is over.
  llvm::MutableArrayRef<PlanProducts> rivals() {
    return llvm::MutableArrayRef<PlanProducts>(rivals_).take_front(isOver_ ? 0 : rivals_.size());
  }
  // Says that work other than products used the rivals' memory. A time that has begun is given up.
  void noteOtherWork() { times_.drop(); }

  int64_t bytes() const;
  void freeOn(StreamHandle stream);
  // Returns the text of the plan that is the fastest so far. It stays as long as this object.
  const std::string &text() const { return texts_[isOver_ ? stays_ : turns_.best()]; }
  // Says in words that follow the name of what runs, and in JSON, how far it is.
  std::string report() const;
  JsonMembers json() const;

private:
  explicit Learning(PlanProducts &own);
  GpuProduct &productOf(PlanProducts &own, size_t plan) {
    return plan == 0 ? *own.gpu : *rivals_[plan - 1].gpu;
  }
  bool mayUse(const GpuDevice &gpu, StreamHandle stream);
  bool isCompiling(const PlanProducts &own) const;
  void takeTimes(const GpuDevice &gpu);
  llvm::Error runTurn(PlanProducts &own, StreamHandle stream, Product product);

  std::vector<PlanProducts> rivals_;
  LearnedKeeper keep_;
  std::vector<std::string> texts_; // of all plans
  Turns turns_;
  StreamTimes times_;
  std::optional<StreamIdentity> stream_ = {}; // that of the products; not set before the first
  size_t products_ = 0;                       // so far
  bool isOver_ = false;
  size_t stays_ = 0; // the plan that has taken the place of the first, when the learning is over
};

} // namespace specmv
