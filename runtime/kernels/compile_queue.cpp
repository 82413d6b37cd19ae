// Hands jobs to a thread that ends when there are none.
#include "runtime/kernels/compile_queue.h"

#include "models/base/fork_mutex.h"
#include "runtime/background.h"
#include "runtime/kernels/objects.h"

#include <cstddef>
#include <list>
#include <mutex>
#include <new>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace specmv {

namespace {
struct Queue {
  ForkMutex mutex; // guards all of it
  std::list<std::shared_ptr<CompileJob>> jobs;
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

static void keepFailure(CompileJob &job, llvm::Error error) {
  job.failure = describe(std::move(error)).second;
}

static void compileAndLoad(CompileJob &job) {
  auto found = findOrCompile(job.source, job.label, job.machine);
  if (!found)
    return keepFailure(job, found.takeError());
  auto module = job.machine.gpu->load(found->object.cubin, job.source.digest);
  if (!module)
    return keepFailure(job, module.takeError());
  job.module = std::move(*module);
}

static void doJob(CompileJob &job) noexcept {
  try {
    compileAndLoad(job);
  } catch (const std::exception &) { // of the host's memory, as a rule
    job.module = {};
  }
  job.machine.gpu.reset(); // which the plan may be the last to keep
  job.isDone = true;
}

// The next job; null if there is none, and the thread then ends.
static std::shared_ptr<CompileJob> next() {
  Queue &q = queue();
  const std::lock_guard lock(q.mutex);
  if (q.jobs.empty()) {
    q.isWorking = false;
    return nullptr;
  }
  std::shared_ptr<CompileJob> job = std::move(q.jobs.front());
  q.jobs.pop_front();
  return job;
}

// Does the jobs that there are. Where no thread could be started, this is the thread of the caller,
// whose priority stays.
static void work(const std::atomic<bool> &ends, pid_t caller) {
  constexpr int kNice = 10; // of this thread alone; if it is refused, nothing is lost
  if (gettid() != caller)
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
  while (const std::shared_ptr<CompileJob> job = next())
    if (!ends && job->isWanted)
      doJob(*job);
}

void compileBeside(std::shared_ptr<CompileJob> job) {
  Queue &q = queue();
  std::unique_ptr<Background> former; // whose thread has ended, or is about to
  {
    const std::lock_guard lock(q.mutex);
    q.jobs.push_back(std::move(job));
    if (std::exchange(q.isWorking, true))
      return;
    former = std::move(q.worker);
  }
  try {
    auto worker = std::make_unique<Background>(
        [caller = gettid()](const std::atomic<bool> &ends) { work(ends, caller); });
    const std::lock_guard lock(q.mutex);
    q.worker = std::move(worker);
  } catch (const std::bad_alloc &) { // the next job tries again
    const std::lock_guard lock(q.mutex);
    q.isWorking = false;
    throw;
  }
}

void tidyCompileQueue() {
  Queue &q = queue();
  std::unique_ptr<Background> former;
  const std::lock_guard lock(q.mutex);
  if (!q.isWorking)
    former = std::move(q.worker);
}

} // namespace specmv
