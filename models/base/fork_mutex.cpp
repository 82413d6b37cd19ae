// Lists the mutexes, and takes all of them around a fork.
#include "models/base/fork_mutex.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <new>
#include <pthread.h>
#include <thread>
#include <utility>

namespace specmv {

struct ForkMutex::All {
  std::mutex mutex; // guards the list
  ForkMutex *first = nullptr;
  std::atomic<unsigned> generation = 0;

  // Without memory for the handlers, a forked child must do without them.
  All() { pthread_atfork(beforeFork, inParent, inChild); }

  template <class F> void forEach(const F &f) {
    for (ForkMutex *it = first; it; it = it->next_)
      f(*it);
  }
  // Whether all were free; the list stays locked.
  bool take() {
    bool haveAll = true;
    mutex.lock();
    forEach([&](ForkMutex &it) { haveAll &= it.isTaken_ = it.mutex_.try_lock(); });
    return haveAll;
  }
  void giveBack() {
    forEach([](ForkMutex &it) {
      if (std::exchange(it.isTaken_, false))
        it.mutex_.unlock();
    });
    mutex.unlock();
  }

  static void beforeFork();
  static void inParent();
  static void inChild();
};

// Never destroyed, since processes fork after the destructors of statics.
ForkMutex::All &ForkMutex::all() {
  alignas(All) static std::byte memory[sizeof(All)];
  static std::once_flag isMade; // which a child makes anew that was forked meanwhile
  std::call_once(isMade, [] { new (memory) All; });
  return *std::launder(reinterpret_cast<All *>(memory));
}

// All or none at a time, so that it cannot wait for a thread that waits for it. What holds one may
// wait for something that the forking thread has locked, so this wait ends: most children do
// nothing but start another program.
void ForkMutex::All::beforeFork() {
  constexpr int kTries = 20000; // 2 s, many times what the longest hold takes, a library's opening
  for (int i = 0; i < kTries; ++i) {
    if (all().take())
      return;
    all().giveBack();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  all().take();
}

void ForkMutex::All::inParent() { all().giveBack(); }

// They are made anew: glibc lets only the thread that locked a recursive mutex unlock it, and that
// of the child has another number.
void ForkMutex::All::inChild() {
  all().forEach([](ForkMutex &it) {
    new (&it.mutex_) std::recursive_mutex;
    it.isTaken_ = false;
  });
  new (&all().mutex) std::mutex;
  ++all().generation;
}

ForkMutex::ForkMutex() {
  const std::lock_guard lock(all().mutex);
  next_ = std::exchange(all().first, this);
  if (next_)
    next_->before_ = this;
}

ForkMutex::~ForkMutex() {
  const std::lock_guard lock(all().mutex);
  (before_ ? before_->next_ : all().first) = next_;
  if (next_)
    next_->before_ = before_;
}

unsigned ForkMutex::forks() { return all().generation; }

} // namespace specmv
