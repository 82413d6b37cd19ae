// Keeps retired things until an event behind their last use has been reached.
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
  GpuHandle<CUevent> end = {}; // recorded behind the last use
  std::shared_ptr<void> things = {};

  // False also if nothing can be asked: in a forked child, and after the device was reset.
  bool isOver() const {
    const GpuDevice::Current current(*end.destroyer().gpu);
    return current.isCurrent() && driver().cuEventQuery(end.get()) != CUDA_ERROR_NOT_READY;
  }
};

namespace {
struct Retirees {
  ForkMutex mutex;
  std::list<Retiree> list;
  std::atomic<size_t> count = 0; // lets calls skip the lock if there is nothing
};
} // namespace

// Never destroyed: what still waits when the process ends must not be destroyed then.
alignas(Retirees) static std::byte placeOfRetirees[sizeof(Retirees)];
static Retirees &retirees() {
  static Retirees &all = *new (placeOfRetirees) Retirees;
  return all;
}

Retirement::Retirement() : entry_(1) {}
Retirement::~Retirement() = default;

// Records an event on the stream; empty if that fails.
static GpuHandle<CUevent> recorded(const GpuDevice &gpu, StreamHandle stream) {
  const GpuDevice::Current current(gpu);
  CUevent event = nullptr;
  if (!current.isCurrent() ||
      driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
    return {};
  GpuHandle<CUevent> out(
      event, {gpu.shared_from_this(), [](CUevent made) { driver().cuEventDestroy(made); }});
  if (driver().cuEventRecord(event, static_cast<CUstream>(stream)) != CUDA_SUCCESS)
    return {};
  return out;
}

void Retirement::begin(const GpuDevice &gpu, std::shared_ptr<void> things,
                       StreamHandle stream) noexcept {
  GpuHandle<CUevent> end = recorded(gpu, stream);
  if (!end) {
    llvm::consumeError(gpu.synchronize(stream)); // if that fails, no work runs any more
    return;
  }
  Retiree &entry = entry_.front();
  entry.end = std::move(end);
  entry.things = std::move(things);
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
    if (it->isOver()) {
      over.splice(over.end(), all.list, it);
      --all.count;
    }
    it = next;
  }
}

} // namespace specmv
