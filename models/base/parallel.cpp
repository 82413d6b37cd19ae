// Runs a loop on all cores: threads take ranges from a shared counter.
#include "models/base/parallel.h"

#include "models/base/lasting.h"
#include "models/base/own_thread.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace specmv {

static thread_local unsigned mostThreads = 0; // 0: as many as there are cores

ThreadLimit::ThreadLimit(unsigned most) : before_(mostThreads) {
  if (most > 0)
    mostThreads = before_ > 0 ? std::min(before_, most) : most;
}

ThreadLimit::~ThreadLimit() { mostThreads = before_; }

unsigned threadCount() {
  // Asked only once, since it reads a file, which takes 6 us.
  static const Lasting<unsigned> count(
      [] { return std::max(1U, std::thread::hardware_concurrency()); });
  return mostThreads > 0 ? std::min(mostThreads, *count) : *count;
}

void parallelFor(int64_t count, int64_t grain,
                 const std::function<void(int64_t begin, int64_t end)> &body) {
  std::atomic<int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failureMutex;
  auto work = [&] {
    try {
      for (int64_t begin; (begin = next.fetch_add(grain)) < count;)
        body(begin, std::min(begin + grain, count));
    } catch (...) {
      next = count; // the other threads stop too
      std::lock_guard lock(failureMutex);
      failure = std::current_exception();
    }
  };
  const int64_t ranges = (count + grain - 1) / grain;
  const int64_t helpers = std::min<int64_t>(threadCount(), ranges) - 1;
  std::vector<OwnThread> threads;
  try {
    for (int64_t t = 0; t < helpers; ++t)
      threads.emplace_back(work);
  } catch (const std::exception &) {
    // There are no more threads or no memory: this thread and those that started do all the work.
  }
  work();
  for (OwnThread &thread : threads)
    thread.join();
  if (failure)
    std::rethrow_exception(failure);
}

} // namespace specmv
