// Tests work that is not waited for: all of it is done, whichever threads it comes from.
#include "runtime/threads/background.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace specmv;

namespace {

auto threadsNow() {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return std::distance(begin(all), end(all));
}

// Does one piece of work and waits for it. The limit of minutes is for slow machines; lost work
// never completes.
bool isDoneBehind() {
  const auto done = std::make_shared<std::atomic<bool>>(false);
  doBehind([done](const std::atomic<bool> &) { *done = true; }, AtEnd::skipped);
  for (int i = 0; i < 12000 && !*done; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return *done;
}

} // namespace

TEST_CASE("work from many threads is done to the last piece, whether or not a thread is working") {
  constexpr int kThreads = 4, kPieces = 400;
  const auto done = std::make_shared<std::atomic<int>>(0);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&done, thread] {
      for (int i = 0; i < kPieces; ++i) {
        doBehind([done](const std::atomic<bool> &ends) { *done += ends ? 0 : 1; }, AtEnd::skipped);
        // Some pieces find the thread waiting, and some start another thread.
        if (i % 100 == 99)
          endIdleBehind();
        if (i % (thread + 2) == 0)
          std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  // The limit of minutes is for slow machines; lost work never completes.
  for (int i = 0; i < 12000 && *done < kThreads * kPieces; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(*done == kThreads * kPieces);
  tidyBehind();
}

TEST_CASE("what work throws does not keep the next from being done") {
  const auto done = std::make_shared<std::atomic<bool>>(false);
  doBehind([](const std::atomic<bool> &) { throw 1; }, AtEnd::done);
  doBehind([done](const std::atomic<bool> &) { *done = true; }, AtEnd::done);
  for (int i = 0; i < 12000 && !*done; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(*done);
}

TEST_CASE("a thread that has nothing to do ends when it is told to") {
  endIdleBehind();
  const auto before = threadsNow();
  CHECK(isDoneBehind());
  endIdleBehind();
  CHECK(threadsNow() == before);
  CHECK(isDoneBehind());
  endIdleBehind();
}

// A former bug: the child left its work to a thread of the process from which it was forked.
TEST_CASE("a forked child does its own work") {
  CHECK(isDoneBehind());
  const pid_t child = fork();
  if (child == 0)
    _exit(isDoneBehind() ? 0 : 1);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(isDoneBehind());
  endIdleBehind();
}

TEST_CASE("a forked child leaves its parent's work to the parent") {
  struct Shared {
    std::atomic<bool> isOpen = false;
    std::atomic<int> doneIn[2] = {}; // processes that did the piece that was queued
  };
  void *const memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  auto *const shared = new (memory) Shared;
  const pid_t parent = getpid();
  doBehind(
      [shared](const std::atomic<bool> &) {
        while (!shared->isOpen)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
      },
      AtEnd::skipped);
  doBehind([shared, parent](const std::atomic<bool> &) { ++shared->doneIn[getpid() != parent]; },
           AtEnd::skipped);
  const pid_t child = fork();
  if (child == 0)
    _exit(isDoneBehind() ? 0 : 1); // behind all that is queued here
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(shared->doneIn[1] == 0);
  shared->isOpen = true;
  CHECK(isDoneBehind());
  CHECK(shared->doneIn[0] == 1);
  endIdleBehind();
  CHECK(munmap(memory, sizeof(Shared)) == 0);
}
