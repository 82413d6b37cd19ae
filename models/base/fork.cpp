// Keeps lists of the mutexes and of the open descriptors for forks.
#include "models/base/fork.h"

#include "models/base/lasting.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <new>
#include <pthread.h>
#include <set>
#include <thread>
#include <unistd.h>
#include <utility>

namespace specmv {

// --- Fork file -----------------------------------------------------------------------------------

// Keeps a list of the open descriptors and closes them in a forked child.

struct ForkFile::Open {
  int descriptor;

  explicit Open(int opened);
  Open(const Open &) = delete;
  Open &operator=(const Open &) = delete;
  ~Open();
};

struct ForkFile::All {
  ForkMutex mutex; // guards the rest
  std::set<Open *> open;

  // The mutex is constructed first, so its fork handler in the child runs before this one. If there
  // is no memory to register this handler, the child keeps the descriptors.
  All() {
    pthread_atfork(nullptr, nullptr, [] { all().closeInChild(); });
  }
  void closeInChild() {
    for (Open *it : open)
      close(std::exchange(it->descriptor, -1));
    open.clear();
  }
};

ForkFile::All &ForkFile::all() {
  static Lasting<All> it;
  return *it;
}

ForkFile::Open::Open(int opened) : descriptor(opened) {
  const std::lock_guard lock(all().mutex);
  all().open.insert(this);
}

ForkFile::Open::~Open() {
  const std::lock_guard lock(all().mutex);
  all().open.erase(this);
  if (descriptor >= 0)
    close(descriptor);
}

ForkFile::ForkFile() = default;
ForkFile::ForkFile(int descriptor) try : open_(std::make_unique<Open>(descriptor)) {
} catch (...) {
  close(descriptor);
  throw;
}

ForkFile::ForkFile(ForkFile &&other) noexcept = default;
ForkFile &ForkFile::operator=(ForkFile &&other) noexcept = default;
ForkFile::~ForkFile() = default;

int ForkFile::descriptor() const { return open_ ? open_->descriptor : -1; }

// --- Fork mutex ----------------------------------------------------------------------------------

// Keeps a list of the mutexes and takes all of them around a fork.

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
