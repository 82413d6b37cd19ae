// Mutexes for process-wide data that keep working in a forked child. fork() waits until no other
// thread holds one, so the child finds consistent data and no mutex that stays locked forever.
#pragma once

#include <cstddef>
#include <mutex>

namespace specmv {

// Locked like std::mutex, but only so briefly that a fork can wait for it.
class ForkMutex {
public:
  ForkMutex();
  ForkMutex(const ForkMutex &) = delete;
  ForkMutex &operator=(const ForkMutex &) = delete;
  ~ForkMutex();

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

  // The number of forks between this process and the first process that used a ForkMutex.
  static unsigned forks();
  // Forgets the mutexes in this memory, whose destructors will not run: a thread made them that a
  // forked child does not have.
  static void forget(const void *begin, size_t bytes);

private:
  struct All;
  static All &all();
  void leaveList();

  // Recursive since the forking thread may hold it: opening a driver under this lock starts a
  // program.
  std::recursive_mutex mutex_;
  ForkMutex *before_ = nullptr, *next_ = nullptr; // neighbours in the list of all mutexes
  bool isTaken_ = false;                          // by a fork in progress
};

} // namespace specmv
