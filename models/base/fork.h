// Mutexes work in a forked child, and descriptors are closed there.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

namespace specmv {

// --- Fork file -----------------------------------------------------------------------------------

// File descriptors that are closed in a forked child: a lock or a leading role that belongs to one
// process must end with that process.

class ForkFile {
public:
  ForkFile(); // none
  // Takes ownership of the descriptor, and closes it if there is no memory for this object.
  explicit ForkFile(int descriptor);
  ForkFile(ForkFile &&other) noexcept;
  ForkFile &operator=(ForkFile &&other) noexcept;
  ~ForkFile(); // closes it

  // Returns -1 if there is no file, or if this process is a child that was forked since.
  int descriptor() const;

private:
  struct Open;
  struct All;
  static All &all();
  std::unique_ptr<Open> open_; // on the heap, so that a child can reach the files of other threads
};

// --- Fork mutex ----------------------------------------------------------------------------------

// Mutexes for process-wide data that keep working in a forked child. fork() waits until no other
// thread holds one, so the child finds consistent data and no mutex that stays locked forever.

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
