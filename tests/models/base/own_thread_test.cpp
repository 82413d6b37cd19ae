// Tests what threads of specmv's own have: a stack that does not depend on the program's limits,
// and no signals that are meant for the program.
#include "models/base/parallel.h"

#include <doctest/doctest.h>

#include <csignal>
#include <mutex>
#include <set>
#include <utility>

using namespace specmv;

namespace {

size_t stackBytes() {
  pthread_attr_t attributes;
  size_t bytes = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  return bytes;
}

bool isBlocked(int signal) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return sigismember(&mask, signal) == 1;
}

// Gives the program's new threads this little stack.
class SmallStacks {
public:
  explicit SmallStacks(size_t bytes) {
    pthread_attr_init(&attributes_);
    pthread_getattr_default_np(&before_);
    pthread_attr_setstacksize(&attributes_, bytes);
    pthread_setattr_default_np(&attributes_);
  }
  SmallStacks(const SmallStacks &) = delete;
  SmallStacks &operator=(const SmallStacks &) = delete;
  ~SmallStacks() { pthread_setattr_default_np(&before_); }

private:
  pthread_attr_t attributes_{}, before_{};
};

} // namespace

TEST_CASE("a thread of our own has its stack whatever the program chose for its threads") {
  const SmallStacks small(64 << 10);
  size_t bytes = 0;
  OwnThread thread([&] { bytes = stackBytes(); });
  thread.join();
  CHECK_FALSE(thread.joinable());
  CHECK(bytes >= 4 << 20);
}

TEST_CASE("signals of the process do not interrupt a thread of our own, faults and profilers do") {
  std::set<int> blocked;
  OwnThread thread([&] {
    for (int signal = 1; signal < NSIG; ++signal)
      if (isBlocked(signal))
        blocked.insert(signal);
  });
  thread.join();
  for (const int ofProcess : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGALRM, SIGCHLD, SIGRTMIN})
    CHECK(blocked.contains(ofProcess));
  for (const int ofThread : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF})
    CHECK_FALSE(blocked.contains(ofThread));
  CHECK_FALSE(isBlocked(SIGTERM)); // here, as before
}

TEST_CASE("a loop on all cores interrupts none of its own threads") {
  const ThreadLimit several(4);
  std::mutex mutex;
  int open = 0;
  parallelFor(1000, 1, [&](int64_t, int64_t) {
    static thread_local const bool isOpen = !isBlocked(SIGTERM);
    static thread_local bool isCounted = false;
    const std::lock_guard lock(mutex);
    open += isOpen && !std::exchange(isCounted, true);
  });
  CHECK(open <= 1); // the caller's thread, if it took a part
}
