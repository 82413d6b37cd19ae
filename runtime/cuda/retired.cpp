// Keeps retired things until a host function behind their last use has run.
#include "runtime/cuda/retired.h"

#include "models/base/fork_mutex.h"
#include "runtime/cuda/driver.h"

#include <atomic>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <new>

namespace specmv {

struct Retiree {
  std::shared_ptr<void> things = {};
  std::atomic<bool> isOver = false;
};

namespace {
struct Retirees {
  ForkMutex mutex;
  std::list<Retiree> list;
  std::atomic<size_t> count = 0; // lets calls skip the lock if there is nothing
};
} // namespace

// Never destroyed: the driver's thread may write to it, and the driver may outlive it.
alignas(Retirees) static std::byte placeOfRetirees[sizeof(Retirees)];
static Retirees &retirees() {
  static Retirees &all = *new (placeOfRetirees) Retirees;
  return all;
}

Retirement::Retirement() : entry_(1) {}
Retirement::~Retirement() = default;

void Retirement::begin(const GpuDevice &gpu, std::shared_ptr<void> things,
                       StreamHandle stream) noexcept {
  Retiree &entry = entry_.front();
  entry.things = std::move(things);
  const GpuDevice::Current current(gpu);
  const auto note = [](void *data) { *static_cast<std::atomic<bool> *>(data) = true; };
  if (!current.isCurrent() || driver().cuLaunchHostFunc(static_cast<CUstream>(stream), note,
                                                        &entry.isOver) != CUDA_SUCCESS) {
    llvm::consumeError(gpu.synchronize(stream)); // if that fails, no work runs any more
    entry.things.reset();
    return;
  }
  Retirees &all = retirees();
  const std::lock_guard lock(all.mutex);
  all.list.splice(all.list.end(), entry_);
  ++all.count;
}

void destroyRetired() {
  Retirees &all = retirees();
  if (all.count == 0)
    return;
  std::list<Retiree> over; // destroyed after unlocking
  const std::lock_guard lock(all.mutex);
  for (auto it = all.list.begin(); it != all.list.end();) {
    const auto next = std::next(it);
    if (it->isOver) {
      over.splice(over.end(), all.list, it);
      --all.count;
    }
    it = next;
  }
}

} // namespace specmv
