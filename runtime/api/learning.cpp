// Runs turns, and puts the fastest plan in the place of the first.
#include "runtime/api/learning.h"

#include "runtime/cuda/driver.h"
#include "runtime/cuda/streams.h"

#include "llvm/ADT/STLExtras.h"

namespace specmv {

// A product that takes longer is timed by itself, so that what the program does between products
// does not count. Two events make it 6.7 us longer (H200), with any plan.
constexpr double kLongUs = 20;
// To ask whether an event has been reached takes about a microsecond, so not every product does.
constexpr size_t kLookEvery = 4;

static bool isLongProduct(const PlanFacts &facts) {
  const std::vector<Candidate> &ranked = facts.ranked.candidates;
  return facts.choice.index < ranked.size() && ranked[facts.choice.index].predictedUs >= kLongUs;
}

Learning::Learning(PlanProducts &own)
    : rivals_(std::move(own.rivals)), keep_(std::move(own.keepLearned)), texts_({own.text}),
      turns_(1 + rivals_.size(), isLongProduct(*own.facts)) {
  for (const PlanProducts &rival : rivals_)
    texts_.push_back(rival.text);
  own.rivals.clear();
}

std::unique_ptr<Learning> Learning::of(PlanProducts &own) {
  return std::unique_ptr<Learning>(own.rivals.empty() ? nullptr : new Learning(own));
}

// Returns true if a product on the stream can take part in the learning: the stream is not captured
// and is that of the products before.
bool Learning::mayUse(const GpuDevice &gpu, StreamHandle stream) {
  const GpuDevice::Current current(gpu);
  if (!current.isCurrent() || isCaptured(driver(), stream))
    return false;
  const StreamIdentity identity = identityOf(stream);
  if (!stream_)
    stream_ = identity;
  return stream_ == identity;
}

// General kernels may be slower than those that will replace them, so nothing is compared until
// then.
bool Learning::isCompiling(const PlanProducts &own) const {
  const auto is = [](const PlanProducts &products) {
    return products.specialization && products.specialization->isRunning();
  };
  return is(own) || llvm::any_of(rivals_, is);
}

void Learning::takeTimes(const GpuDevice &gpu) {
  while (const auto ended = times_.takeEnded(gpu))
    if (ended->us)
      turns_.take(ended->tag, *ended->us);
    else
      turns_.lose(ended->tag);
}

void Learning::end(PlanProducts &own) {
  if (isOver_)
    return;
  isOver_ = true;
  const size_t best = stays_ = turns_.best();
  const double us = turns_.us(best);
  if (best > 0)
    std::swap(own, rivals_[best - 1]);
  if (us == 0)
    return;
  own.learnedUs = us;
  if (turns_.isOver() && keep_)
    keep_(best, us);
}

llvm::Error Learning::runTurn(PlanProducts &own, StreamHandle stream, Product product) {
  const Turn turn = turns_.next();
  const GpuProduct &its = productOf(own, turn.plan);
  if (turn.begins)
    times_.begin(its.gpu(), stream, turn.plan);
  llvm::Error error = product(its);
  if (error)
    times_.drop(); // fewer products were run than the time is divided by
  if (turn.ends && !times_.end(its.gpu(), stream))
    turns_.lose(turn.plan);
  return error;
}

llvm::Error Learning::run(PlanProducts &own, StreamHandle stream, Product product) {
  const auto gpu = own.gpu->gpu().shared_from_this();
  const bool isUsable = mayUse(*gpu, stream);
  if (isUsable && !isOver_ && products_++ % kLookEvery == 0)
    takeTimes(*gpu);
  if (!isUsable || turns_.isOver())
    end(own);
  if (!isOver_ && !isCompiling(own))
    return runTurn(own, stream, product);
  return product(*own.gpu);
}

int64_t Learning::bytes() const {
  int64_t sum = 0;
  for (const PlanProducts &rival : rivals_)
    sum += rival.bytes();
  return sum;
}

void Learning::freeOn(StreamHandle stream) {
  for (PlanProducts &rival : rivals_)
    rival.freeOn(stream);
}

std::string Learning::report() const {
  if (!isOver_)
    return llvm::formatv(" in turn with {0} other plans, until the fastest is known",
                         texts_.size() - 1);
  return turns_.timed() == 0 ? ""
                             : llvm::formatv(", the fastest of {0} plans in {1} timed products",
                                             texts_.size(), turns_.timed())
                                   .str();
}

JsonMembers Learning::json() const {
  std::vector<JsonText> plans;
  for (size_t i = 0; i < texts_.size(); ++i)
    plans.emplace_back(JsonMembers{{"text", texts_[i]},
                                   {"us", turns_.us(i) > 0 ? JsonText(turns_.us(i)) : nullptr}});
  return {{"state", isOver_ ? "over" : "running"},
          {"timed", static_cast<int64_t>(turns_.timed())},
          {"plans", std::move(plans)}};
}

} // namespace specmv
