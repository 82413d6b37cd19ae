// Keeps retired things until an event behind their last use has been reached.
#include "runtime/cuda/retired.h"

#include "models/base/fork.h"
#include "models/base/lasting.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/overlap.h"

#include <atomic>
#include <cstddef>
#include <iterator>
#include <mutex>

namespace specmv {

struct Retiree {
  GpuHandle<void *> end = {}; // recorded behind the last use
  std::shared_ptr<void> things = {};

  // Never in a forked child, which must not call the driver. After a reset of the device, or after
  // an error of the GPU that the query tells, no work runs any more.
  bool isOver() const {
    const GpuDevice::Current current(*end.destroyer().gpu);
    return current.isDestroyed() ||
           (current.isCurrent() &&
            driver().cuEventQuery(static_cast<CUevent>(end.get())) != CUDA_ERROR_NOT_READY);
  }
};

namespace {
struct Retirees {
  ForkMutex mutex;
  std::list<Retiree> list;
  std::atomic<size_t> count = 0; // lets calls skip the lock if there is nothing
};
} // namespace

// What still waits when the process ends must not be destroyed then.
static Retirees &retirees() {
  static Undying<Retirees> all;
  return *all;
}

Retirement::Retirement() : entry_(1) {}
Retirement::~Retirement() = default;

void Retirement::begin(const GpuDevice &gpu, std::shared_ptr<void> things,
                       StreamHandle stream) noexcept {
  auto end = makeEvent(gpu, EventKind::ordering);
  if (llvm::Error error = end ? record(gpu, end->get(), stream) : end.takeError()) {
    // If the wait fails too, no work runs any more.
    llvm::consumeError(llvm::joinErrors(std::move(error), gpu.synchronize(stream)));
    return;
  }
  Retiree &entry = entry_.front();
  entry = {std::move(*end), std::move(things)};
  Retirees &all = retirees();
  const std::lock_guard lock(all.mutex);
  all.list.splice(all.list.end(), entry_);
  ++all.count;
}

// The driver is asked without the lock, for which a fork waits.
void destroyRetired() {
  Retirees &all = retirees();
  if (all.count == 0)
    return;
  std::list<Retiree> waiting, over;
  {
    const std::lock_guard lock(all.mutex);
    waiting.swap(all.list);
  }
  for (auto it = waiting.begin(); it != waiting.end();) {
    const auto next = std::next(it);
    if (it->isOver())
      over.splice(over.end(), waiting, it);
    it = next;
  }
  const std::lock_guard lock(all.mutex);
  all.count -= over.size();
  all.list.splice(all.list.begin(), waiting);
}

} // namespace specmv
