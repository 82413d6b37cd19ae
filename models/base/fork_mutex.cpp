// Keeps a list of the mutexes and takes all of them around a fork.
#include "models/base/fork_mutex.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
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

  // If there is no memory to register the handlers, a forked child runs without them.
  All() { pthread_atfork(beforeFork, inParent, inChild); }

  template <class F> void forEach(const F &f) {
    for (ForkMutex *it = first; it; it = it->next_)
      f(*it);
  }
  // Tries to take every mutex and returns true if all were free. Leaves the list locked.
  bool take() {
    bool haveAll = true;
    mutex.lock();
    forEach([&](ForkMutex &it) {
      it.isTaken_ = it.mutex_.try_lock();
      haveAll = haveAll && it.isTaken_;
    });
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

// Never destroyed, since a process may still fork after its static destructors have run.
ForkMutex::All &ForkMutex::all() {
  alignas(All) static std::byte memory[sizeof(All)];
  static std::once_flag isMade; // a child forked during this call makes it again
  std::call_once(isMade, [] { new (memory) All; });
  return *std::launder(reinterpret_cast<All *>(memory));
}

// Takes all mutexes or none at a time, so that this thread never holds one while it waits for a
// thread that waits for it. A holder may itself wait for something that the forking thread has
// locked, so the wait is limited. A child that finds a locked mutex rarely matters, since most
// children only start another program.
void ForkMutex::All::beforeFork() {
  constexpr int kTries = 20000; // 2 s, far longer than the longest hold: opening a library
  for (int i = 0; i < kTries; ++i) {
    if (all().take())
      return;
    all().giveBack();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  all().take();
}

void ForkMutex::All::inParent() { all().giveBack(); }

// Constructs the mutexes anew: glibc lets only the thread that locked a recursive mutex unlock it,
// and the child's thread has another thread number.
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
  leaveList();
}

// Call it with the list locked.
void ForkMutex::leaveList() {
  (before_ ? before_->next_ : all().first) = next_;
  if (next_)
    next_->before_ = before_;
}

void ForkMutex::forget(const void *begin, size_t bytes) {
  const auto *const first = static_cast<const std::byte *>(begin);
  const std::less<const void *> isBefore;
  const std::lock_guard lock(all().mutex);
  for (ForkMutex *it = all().first, *next = nullptr; it; it = next) {
    next = it->next_;
    if (!isBefore(it, first) && isBefore(it, first + bytes))
      it->leaveList();
  }
}

unsigned ForkMutex::forks() { return all().generation; }

} // namespace specmv
