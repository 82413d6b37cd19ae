// Starts threads, and runs loops on all cores: threads take ranges from a shared counter.
#include "models/base/parallel.h"

#include "models/base/files.h"
#include "models/base/lasting.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace specmv {

// --- Own thread ----------------------------------------------------------------------------------

// Starts threads with attributes, which std::thread cannot.

// The default of Linux for the first thread; a compilation runs on it, for example.
constexpr size_t kStackBytes = size_t{8} << 20;

static void *runOwned(void *argument) {
  const std::unique_ptr<std::function<void()>> work(static_cast<std::function<void()> *>(argument));
  (*work)();
  return nullptr;
}

static int start(pthread_t &thread, std::function<void()> *work) {
  pthread_attr_t attributes;
  if (const int error = pthread_attr_init(&attributes); error != 0)
    return error;
  pthread_attr_setstacksize(&attributes, kStackBytes);
  // A thread inherits the signals that are blocked where it is started.
  const SignalsBlocked blocked(
      {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF});
  const int error = pthread_create(&thread, &attributes, runOwned, work);
  pthread_attr_destroy(&attributes);
  return error;
}

OwnThread::OwnThread(std::function<void()> work) {
  auto owned = std::make_unique<std::function<void()>>(std::move(work));
  if (const int error = start(thread_, owned.get()); error != 0)
    throw std::system_error(error, std::generic_category());
  (void)owned.release(); // the thread deletes it
  isJoinable_ = true;
}

OwnThread::OwnThread(OwnThread &&other) noexcept
    : thread_(other.thread_), isJoinable_(std::exchange(other.isJoinable_, false)) {}

OwnThread &OwnThread::operator=(OwnThread &&other) noexcept {
  thread_ = other.thread_;
  isJoinable_ = std::exchange(other.isJoinable_, false);
  return *this;
}

void OwnThread::join() {
  pthread_join(thread_, nullptr);
  isJoinable_ = false;
}

// --- Parallel ------------------------------------------------------------------------------------

// Runs a loop on all cores: threads take ranges from a shared counter.

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
