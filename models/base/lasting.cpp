// Lists the statics, and destroys them when the library is unloaded.
#include "models/base/lasting.h"

#include <atomic>
#include <cstdlib>

namespace specmv {

static std::atomic<const DestroyedAtUnload *> newest{nullptr};

// Not once the process ends, and not where that cannot be told, without memory for the handler.
static std::atomic<bool> mayDestroy{false};

void DestroyedAtUnload::add(Destroy destroy) const {
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

// exit() runs all handlers before the functions of this kind; dlclose() runs these functions before
// the handlers of the library that it unloads.
[[gnu::destructor]] static void unload() {
  if (mayDestroy)
    DestroyedAtUnload::destroyAll();
}

} // namespace specmv
