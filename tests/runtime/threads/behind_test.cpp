// Work that nobody waits for: all of it is done, from whichever threads it comes.
#include "runtime/threads/behind.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

using namespace specmv;

TEST_CASE("work from many threads is done to the last piece, whether or not a thread is working") {
  constexpr int kThreads = 4, kPieces = 400;
  const auto done = std::make_shared<std::atomic<int>>(0);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&done, thread] {
      for (int i = 0; i < kPieces; ++i) {
        doBehind([done](const std::atomic<bool> &ends) { *done += ends ? 0 : 1; }, AtEnd::skipped);
        // The thread ends when there is no work, so that the next piece starts another.
        if (i % (thread + 2) == 0)
          std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  // Minutes are for a machine that is slow; what is lost never comes.
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
