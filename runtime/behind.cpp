// Hands work to a thread that ends when there is none.
#include "runtime/behind.h"

#include "models/base/c_locale.h"
#include "models/base/fork_mutex.h"
#include "runtime/background.h"

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace specmv {

namespace {
struct Job {
  std::function<void()> work;
  AtEnd atEnd;
};
struct Queue {
  ForkMutex mutex; // guards all of it
  std::list<Job> jobs;
  bool isWorking = false; // there is a thread that will look at the jobs once more
  std::unique_ptr<Background> worker;
};
} // namespace

// The queue is never destroyed: plans may be destroyed after the destructors of statics.
static Queue &queue() {
  alignas(Queue) static std::byte place[sizeof(Queue)];
  static Queue &one = *new (place) Queue;
  return one;
}

// The next job; nullopt if there is none, and the thread then ends.
static std::optional<Job> next() {
  Queue &q = queue();
  const std::lock_guard lock(q.mutex);
  if (q.jobs.empty()) {
    q.isWorking = false;
    return std::nullopt;
  }
  std::optional<Job> job = std::move(q.jobs.front());
  q.jobs.pop_front();
  return job;
}

static void doJob(const Job &job) noexcept {
  const CLocale locale; // as in a call of the library
  try {
    job.work();
  } catch (...) { // NOLINT: memory has run out, as a rule, and nobody waits
  }
}

// Does the jobs that there are. Where no thread could be started, this is the thread of the caller,
// whose priority stays.
static void work(const std::atomic<bool> &ends, pid_t caller) {
  constexpr int kNice = 10; // of this thread alone; if it is refused, nothing is lost
  if (gettid() != caller)
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
  while (const std::optional<Job> job = next())
    if (!ends || job->atEnd == AtEnd::done)
      doJob(*job);
}

void doBehind(std::function<void()> job, AtEnd atEnd) {
  Queue &q = queue();
  std::unique_ptr<Background> former; // whose thread has ended, or is about to
  {
    const std::lock_guard lock(q.mutex);
    q.jobs.push_back({std::move(job), atEnd});
    if (std::exchange(q.isWorking, true))
      return;
    former = std::move(q.worker);
  }
  std::unique_ptr<Background> worker; // or the one before, which must end without the lock
  try {
    worker = std::make_unique<Background>(
        [caller = gettid()](const std::atomic<bool> &ends) { work(ends, caller); });
    const std::lock_guard lock(q.mutex);
    std::swap(q.worker, worker);
  } catch (const std::bad_alloc &) { // the next job tries again
    const std::lock_guard lock(q.mutex);
    q.isWorking = false;
    q.jobs.clear();
    throw;
  }
}

void tidyBehind() {
  Queue &q = queue();
  std::unique_ptr<Background> former;
  const std::lock_guard lock(q.mutex);
  if (!q.isWorking)
    former = std::move(q.worker);
}

} // namespace specmv
