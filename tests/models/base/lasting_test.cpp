// Tests statics that stay alive while the process ends.
#include "models/base/lasting.h"

#include "tests/runtime/child_process.h"
#include "tests/runtime/processes.h"
#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>

using namespace specmv;
using specmv::testing::endOf;
using specmv::testing::startProcess;

namespace {

struct Speaker {
  std::string word = "still here";
  ~Speaker() {
    std::puts("destroyed");
    std::fflush(stdout);
  }
};

const Speaker &speaker() {
  static const Lasting<Speaker> it;
  return *it;
}

std::atomic<bool> isBegun{false}, mayEnd{false};

void waitInTheMiddle() {
  isBegun = true;
  while (!mayEnd)
    std::this_thread::yield();
}

// A thread makes the static, which waits in the middle. Returns how a child ended that was forked
// meanwhile, in which f() runs.
template <class Static> int endOfChildWhileMaking(Static &it, int (*f)()) {
  isBegun = mayEnd = false;
  std::thread maker([&] { (void)*it; });
  while (!isBegun)
    std::this_thread::yield();
  const pid_t child = startProcess([f] {
    alarm(20);
    mayEnd = true;
    return f();
  });
  const int end = endOf(child);
  mayEnd = true;
  maker.join();
  return end;
}

} // namespace

TEST_CASE("child: a handler of exit() uses a static that was made after it" * doctest::skip()) {
  std::atexit([] {
    std::puts(speaker().word.c_str());
    std::fflush(stdout);
  });
  CHECK(speaker().word == "still here");
  std::exit(0);
}

TEST_CASE("a static stays for handlers of exit() that were registered before it was made") {
  const ScratchDirectory scratch("specmv-lasting");
  const std::string output = scratch.path() + "/output";
  CHECK(runAlone("child: a handler of exit() uses a static that was made after it", {}, output) ==
        0);
  const std::string said = readFile(output);
  CHECK(said.find("still here") != std::string::npos);
  CHECK(said.find("destroyed") == std::string::npos);
}

// A former bug: the child waited forever for a thread that it does not have.
TEST_CASE("a process that is forked while another thread makes a static makes it too") {
  static const Lasting<int> slow([] {
    waitInTheMiddle();
    return 7;
  });
  CHECK(endOfChildWhileMaking(slow, [] { return *slow == 7 ? 0 : 1; }) == 0);
  CHECK(*slow == 7);
}

// A former bug: the mutex of the half-made static was in the list of all mutexes twice, and the
// next fork went round in it.
TEST_CASE("a process that is forked while another thread makes a static can be forked again") {
  struct Slow {
    ForkMutex mutex;
    int value = 0;
    Slow() {
      waitInTheMiddle();
      value = 7;
    }
  };
  static Undying<Slow> slow;
  CHECK(endOfChildWhileMaking(slow, [] {
          const std::lock_guard lock(slow->mutex);
          return endOf(startProcess([] { return slow->value == 7 ? 0 : 1; }));
        }) == 0);
  CHECK(slow->value == 7);
}

TEST_CASE("a static has the value that it is given") {
  static Lasting<std::unique_ptr<int>> kept([] { return std::make_unique<int>(7); });
  ++**kept;
  CHECK(**kept == 8);
  static const Lasting<int> zero;
  CHECK(*zero == 0);
}
