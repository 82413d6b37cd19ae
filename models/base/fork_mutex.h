// Mutexes of what a whole process shares, which keep working in a forked child: fork() waits until
// no other thread holds one, so that the child finds all values whole and no mutex locked for good.
#pragma once

#include <mutex>

namespace specmv {

// To be locked as std::mutex is, for so long that a fork can wait for it.
class ForkMutex {
public:
  ForkMutex();
  ForkMutex(const ForkMutex &) = delete;
  ForkMutex &operator=(const ForkMutex &) = delete;
  ~ForkMutex();

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

  // How many forks lie between this process and the one that asked first.
  static unsigned forks();

private:
  struct All;
  static All &all();

  // The thread that forks may hold it: a driver that is opened under one starts a program.
  std::recursive_mutex mutex_;
  ForkMutex *before_ = nullptr, *next_ = nullptr; // of all that there are
  bool isTaken_ = false;                          // by a fork that goes on
};

} // namespace specmv
