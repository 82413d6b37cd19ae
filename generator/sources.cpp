// Finds emitted sources again by the function that emits them, the plan and the problem.
#include "generator/sources.h"

#include "generator/order/ordered_product.h"
#include "models/base/fork.h"
#include "models/base/lasting.h"

#include <algorithm>
#include <mutex>
#include <variant>
#include <vector>

namespace specmv {

namespace {
struct SourceKey {
  std::variant<EmitProduct, EmitPacking> emit;
  const Plan &plan;
  const Problem &problem;
  IndexType csrIndex = IndexType::i32;

  KernelSource emitted() const {
    if (const auto *product = std::get_if<EmitProduct>(&emit))
      return sourceInOrder(*product, plan, problem);
    return std::get<EmitPacking>(emit)(plan, problem, csrIndex);
  }
};

struct KeptSource {
  std::variant<EmitProduct, EmitPacking> emit;
  Plan plan;
  Problem problem;
  IndexType csrIndex;
  SharedSource source;

  bool has(const SourceKey &key) const {
    return emit == key.emit && csrIndex == key.csrIndex && problem == key.problem &&
           plan == key.plan;
  }
};

// The source that was used last is at the end.
class KeptSources {
public:
  SharedSource find(const SourceKey &key) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(kept_.rbegin(), kept_.rend(),
                                    [&](const KeptSource &kept) { return kept.has(key); });
    if (found == kept_.rend())
      return nullptr;
    std::rotate(found.base() - 1, found.base(), kept_.end());
    return kept_.back().source;
  }
  void keep(const SourceKey &key, const SharedSource &source) {
    const std::lock_guard lock(mutex_);
    if (kept_.size() >= kMost)
      kept_.erase(kept_.begin());
    kept_.push_back({key.emit, key.plan, key.problem, key.csrIndex, source});
  }

private:
  static constexpr size_t kMost = 64;
  ForkMutex mutex_; // guards the members below
  std::vector<KeptSource> kept_;
};
} // namespace

static SharedSource findOrEmit(const SourceKey &key) {
  static Lasting<KeptSources> sources;
  if (SharedSource known = sources->find(key))
    return known;
  auto made = std::make_shared<const KernelSource>(key.emitted());
  sources->keep(key, made);
  return made;
}

SharedSource keptSource(EmitProduct emit, const Plan &plan, const Problem &problem) {
  return findOrEmit({emit, plan, problem});
}

SharedSource keptSource(EmitPacking emit, const Plan &plan, const Problem &problem,
                        IndexType csrIndex) {
  return findOrEmit({emit, plan, problem, csrIndex});
}

} // namespace specmv
