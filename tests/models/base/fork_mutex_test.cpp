// Tests mutexes around a fork: the child is made when no other thread holds one, and finds all of
// them free.
#include "models/base/fork.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace specmv;

// Returns the result of f in a forked process, or -1 if that process does not end.
template <class F> static int inFork(const F &f) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(600);
    _exit(f());
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("a fork waits for the threads that hold a mutex, and the child may lock all") {
  ForkMutex first, held;
  auto gone = std::make_unique<ForkMutex>();
  const unsigned forks = ForkMutex::forks();
  std::atomic<bool> isHeld{false};
  int value = 0; // guarded by `held`; 1 is half changed
  std::thread other([&] {
    const std::lock_guard lock(held);
    value = 1;
    isHeld = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    value = 2;
  });
  while (!isHeld)
    ;
  gone.reset();
  CHECK(inFork([&] {
          const std::lock_guard lock(held), also(first);
          return value + static_cast<int>(ForkMutex::forks() - forks);
        }) == 3);
  other.join();
  CHECK(ForkMutex::forks() == forks);
  const std::lock_guard lock(held), also(first);
}

TEST_CASE("the thread that forks may hold a mutex") {
  ForkMutex mutex;
  const std::lock_guard lock(mutex);
  CHECK(inFork([] { return 7; }) == 7);
}
