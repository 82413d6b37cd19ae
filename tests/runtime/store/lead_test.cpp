// Tests of the lock by which one process compiles for many: one process holds it at a time, it
// passes on when its holder ends or is killed, and it never blocks a process for long.
#include "runtime/store/lead.h"

#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>

#include <csignal>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace specmv;
using namespace std::chrono_literals;

namespace {

// Starts a child that takes the lock and sleeps while holding it.
pid_t startHolder(const std::string &file) {
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const Leadership lock = Leadership::take(file);
    (void)!write(ready[1], lock.isHeld() ? "y" : "n", 1);
    for (;;)
      pause();
  }
  char answer = 0;
  REQUIRE(read(ready[0], &answer, 1) == 1);
  CHECK(answer == 'y');
  close(ready[0]);
  close(ready[1]);
  return child;
}

} // namespace

TEST_CASE("one has the lock at a time, and whoever waits too long goes on without it") {
  const ScratchDirectory scratch;
  const std::string file = scratch.path() + "/lock";
  {
    const Leadership first = Leadership::take(file);
    CHECK(first.isHeld());
    const auto start = std::chrono::steady_clock::now();
    CHECK_FALSE(Leadership::take(file, 30ms).isHeld());
    CHECK(std::chrono::steady_clock::now() - start >= 30ms);
  }
  CHECK(Leadership::take(file, 0ms).isHeld());
}

// A former bug: anyone who may read a lock file can lock it, which made its owner wait 10 s.
TEST_CASE("a lock file is for its owner alone, also one that was not") {
  const ScratchDirectory scratch;
  const std::string made = scratch.path() + "/made", former = scratch.path() + "/former";
  writeFile(former, "");
  REQUIRE(chmod(former.c_str(), 0644) == 0);
  const mode_t before = umask(0);
  for (const std::string &file : {made, former}) {
    CHECK(Leadership::take(file).isHeld());
    struct stat status = {};
    REQUIRE(stat(file.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0600);
  }
  umask(before);
}

// A former bug: a child kept the lock of a parent that was killed.
TEST_CASE("a process that the holder has forked does not have the lock") {
  const ScratchDirectory scratch;
  const std::string file = scratch.path() + "/lock";
  int end[2], ready[2];
  REQUIRE(pipe(end) == 0);
  REQUIRE(pipe(ready) == 0);
  const pid_t holder = fork();
  if (holder == 0) {
    const Leadership lock = Leadership::take(file);
    if (fork() == 0) {
      (void)!write(ready[1], lock.isHeld() ? "y" : "n", 1);
      close(end[1]);
      char none = 0;
      _exit(static_cast<int>(read(end[0], &none, 1))); // until the test is over
    }
    for (;;)
      pause();
  }
  char isHeldByChild = 0;
  REQUIRE(read(ready[0], &isHeldByChild, 1) == 1);
  CHECK(isHeldByChild == 'n');
  CHECK_FALSE(Leadership::take(file, 20ms).isHeld());
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
  CHECK(Leadership::take(file, 1000ms).isHeld());
  for (int fd : {end[0], end[1], ready[0], ready[1]})
    close(fd);
}

TEST_CASE("a holder that is killed holds nothing any longer") {
  const ScratchDirectory scratch;
  const std::string file = scratch.path() + "/lock";
  const pid_t holder = startHolder(file);
  CHECK_FALSE(Leadership::take(file, 20ms).isHeld());
  kill(holder, SIGKILL);
  CHECK(Leadership::take(file, 5000ms).isHeld()); // it may take the kernel a moment
  waitpid(holder, nullptr, 0);
}

TEST_CASE("a child that was forked while the lock was held does not keep it") {
  const ScratchDirectory scratch;
  const std::string file = scratch.path() + "/lock";
  pid_t child = 0;
  {
    const Leadership lock = Leadership::take(file);
    child = fork();
    if (child == 0)
      for (;;)
        pause();
  }
  CHECK(Leadership::take(file, 0ms).isHeld());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_CASE("where no lock can be had nobody waits") {
  const ScratchDirectory scratch;
  const std::string pipe = scratch.path() + "/pipe";
  CHECK_FALSE(Leadership::none().isHeld());
  CHECK_FALSE(Leadership::take(scratch.path()).isHeld());
  CHECK_FALSE(Leadership::take(scratch.path() + "/absent/lock").isHeld());
  std::filesystem::create_symlink(scratch.path() + "/elsewhere", scratch.path() + "/link");
  CHECK_FALSE(Leadership::take(scratch.path() + "/link").isHeld());
  CHECK_FALSE(std::filesystem::exists(scratch.path() + "/elsewhere"));
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  Leadership::take(pipe); // held or not, it returns
}
