// Threads of specmv's own, and loops on all cores.
#pragma once

#include <cstdint>
#include <functional>
#include <pthread.h>

namespace specmv {

// --- Own thread ----------------------------------------------------------------------------------

// A thread of specmv's own, which the program does not notice.

// Like std::thread, with two differences. Its stack does not depend on limits that the program
// chose for its own threads. And signals that are sent to the process do not interrupt it: their
// handlers belong to the program, which may have no other threads and be written for that. Signals
// of faults and of profilers still reach it.
class OwnThread {
public:
  OwnThread() = default;
  // Throws std::system_error if no thread can be started.
  explicit OwnThread(std::function<void()> work);
  OwnThread(OwnThread &&other) noexcept;
  OwnThread &operator=(OwnThread &&other) noexcept; // of one that is not joinable
  ~OwnThread() = default;                           // after join()

  bool joinable() const { return isJoinable_; }
  bool isThisThread() const { return isJoinable_ && pthread_equal(thread_, pthread_self()) != 0; }
  void join();

private:
  pthread_t thread_{};
  bool isJoinable_ = false;
};

// --- Parallel ------------------------------------------------------------------------------------

// Runs a loop on all cores. The result never depends on their number.

// Elements that a thread copies or fills at a time. For fewer, starting a thread would take longer.
inline constexpr int64_t kCopyGrain = 1 << 20;

// The number of threads that parallelFor uses: the cores of this machine, at least 1, or fewer if
// the calling thread has a limit.
unsigned threadCount();

// While an object of this class lives, loops that its thread starts use at most `most` threads,
// including that thread. 0 sets no limit.
class ThreadLimit {
public:
  explicit ThreadLimit(unsigned most);
  ThreadLimit(const ThreadLimit &) = delete;
  ThreadLimit &operator=(const ThreadLimit &) = delete;
  ~ThreadLimit();

private:
  unsigned before_;
};

// Calls body(begin, end) from several threads for disjoint ranges that cover 0 .. count. A range
// starts at a multiple of `grain` and has at most `grain` elements. An exception from body (memory
// can run out) stops the loop and is thrown again here. If no thread can be started, the calling
// thread does all the work.
void parallelFor(int64_t count, int64_t grain,
                 const std::function<void(int64_t begin, int64_t end)> &body);

} // namespace specmv
