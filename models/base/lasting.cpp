// Keeps a list of the statics and destroys them when the library is unloaded.
#include "models/base/lasting.h"

#include "models/base/fork.h"

#include <atomic>
#include <cstdlib>

namespace specmv {

static std::atomic<const DestroyedAtUnload *> newest{nullptr};

// Becomes false when the process ends. Stays false if no handler can be registered, since the end
// of the process would then go unnoticed.
static std::atomic<bool> mayDestroy{false};

void DestroyedAtUnload::add(Destroy destroy) const {
  // A child that was forked after this, but before the value counted as made, makes it again. It
  // must not be in the list twice.
  if (destroy_)
    return;
  static std::once_flag isWatched;
  std::call_once(isWatched, [] { mayDestroy = std::atexit([] { mayDestroy = false; }) == 0; });
  destroy_ = destroy;
  before_ = newest;
  while (!newest.compare_exchange_weak(before_, this))
    ;
}

void DestroyedAtUnload::destroyAll() {
  for (const DestroyedAtUnload *it = newest.exchange(nullptr); it; it = it->before_)
    it->destroy_(it);
}

// exit() runs all handlers before functions of this kind; dlclose() runs these functions before the
// handlers of the library that it unloads.
[[gnu::destructor]] static void unload() {
  if (mayDestroy)
    DestroyedAtUnload::destroyAll();
}

bool Making::begin() {
  const unsigned mine = 2 + ForkMutex::forks();
  unsigned seen = state_.load(std::memory_order_acquire);
  while (seen != kDone) {
    if (seen == mine) // another thread makes it
      state_.wait(seen, std::memory_order_acquire);
    else if (state_.compare_exchange_weak(seen, mine, std::memory_order_acquire))
      return true;
    seen = state_.load(std::memory_order_acquire);
  }
  return false;
}

void Making::end(bool isMade) {
  state_.store(isMade ? kDone : kNone, std::memory_order_release);
  state_.notify_all();
}

} // namespace specmv
