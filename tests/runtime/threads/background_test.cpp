// Tests work on threads: it is asked to stop, it is waited for, and what happens at the exit.
#include "runtime/threads/background.h"

#include "models/base/lasting.h"
#include "tests/runtime/child_process.h"
#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>
#include <thread>
#include <unistd.h>

using namespace specmv;

namespace {

void untilCancelled(const std::atomic<bool> &cancelled) {
  while (!cancelled)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// In a process whose exit ends work that reads a static made after the work began, such as a static
// of a library that the work opens, or one of ours.
struct Opened {
  std::atomic<bool> isOpen{true};
  ~Opened() { isOpen = false; }
};

} // namespace

TEST_CASE("work ends by itself, or when it is cancelled") {
  int done = 0;
  Background quick([&](const std::atomic<bool> &) { done = 1; });
  quick.wait();
  CHECK(quick.isDone());
  CHECK(done == 1);
  Background slow([&](const std::atomic<bool> &cancelled) {
    untilCancelled(cancelled);
    done = 2;
  });
  CHECK_FALSE(slow.isDone());
  slow.cancel();
  slow.wait();
  CHECK(slow.isDone());
  CHECK(done == 2);
  slow.wait();
}

TEST_CASE("work that is destroyed is cancelled and waited for, and so is what it holds") {
  auto held = std::make_shared<int>(0);
  {
    const Background work([held](const std::atomic<bool> &cancelled) {
      untilCancelled(cancelled);
      *held = 1;
    });
  }
  CHECK(*held == 1);
  CHECK(held.use_count() == 1);
}

TEST_CASE("child: the exit ends work before what it uses" * doctest::skip()) {
  static std::atomic<bool> isStarted{false};
  static auto &work = *new Background([](const std::atomic<bool> &cancelled) {
    static Opened library;
    endBackgroundFirst();
    isStarted = true;
    untilCancelled(cancelled);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::puts(library.isOpen ? "the library is open" : "the library is closed");
    std::fflush(stdout);
  });
  while (!isStarted)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK_FALSE(work.isDone());
  std::exit(0);
}

TEST_CASE("child: the exit ends the work of another thread" * doctest::skip()) {
  static std::atomic<bool> isStarted{false};
  static Background *work = nullptr;
  std::thread([] {
    work = new Background([](const std::atomic<bool> &cancelled) {
      static Lasting<Opened> table;
      isStarted = true;
      untilCancelled(cancelled);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      std::puts(table->isOpen ? "the table is open" : "the table is closed");
      std::fflush(stdout);
    });
  }).join();
  while (!isStarted)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK_FALSE(work->isDone());
  std::exit(0);
}

static std::string outputOfChild(const char *testCase) {
  const ScratchDirectory scratch("specmv-background");
  const std::string output = scratch.path() + "/output";
  CHECK(runAlone(testCase, {}, output) == 0);
  return readFile(output);
}

TEST_CASE("the exit of a process ends work before the libraries that were opened for it") {
  const std::string output = outputOfChild("child: the exit ends work before what it uses");
  CHECK(output.find("the library is open") != std::string::npos);
}

TEST_CASE("and before the statics that it made, if another thread began it") {
  const std::string output = outputOfChild("child: the exit ends the work of another thread");
  CHECK(output.find("the table is open") != std::string::npos);
}
