// Runs a loop on all cores. The result never depends on their number.
#pragma once

#include <cstdint>
#include <functional>

namespace specmv {

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
