// Tests work in a process that shares the memory: the caller's signal handlers stay, signals wait
// for them, and nothing of the process is left.
#include "runtime/threads/apart.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace specmv;

namespace {

volatile sig_atomic_t caught = 0;
void catching(int signal) { caught = signal; }

// Has a handler of its own for a signal until the end of the scope.
class Catching {
public:
  explicit Catching(int signal) : signal_(signal) {
    caught = 0;
    struct sigaction own = {};
    own.sa_handler = catching;
    own.sa_flags = SA_RESTART | SA_NODEFER;
    sigaddset(&own.sa_mask, SIGUSR2);
    sigaction(signal, &own, &before_);
  }
  Catching(const Catching &) = delete;
  Catching &operator=(const Catching &) = delete;
  ~Catching() { sigaction(signal_, &before_, nullptr); }

  bool isWhole() const {
    struct sigaction now = {};
    sigaction(signal_, nullptr, &now);
    return now.sa_handler == catching &&
           (now.sa_flags & (SA_RESTART | SA_NODEFER)) == (SA_RESTART | SA_NODEFER) &&
           sigismember(&now.sa_mask, SIGUSR2) == 1;
  }

private:
  int signal_;
  struct sigaction before_ = {};
};

struct Seen {
  pid_t process = 0, caller = getpid();
  bool isHandlerOurs = false;
};

// As NVRTC does it in its first compilation.
void takeOverTerm(void *data) {
  Seen &seen = *static_cast<Seen *>(data);
  seen.process = getpid();
  const auto before = signal(SIGTERM, [](int) { _exit(4); });
  seen.isHandlerOurs = before == catching;
  kill(seen.caller, SIGTERM); // while the handler is not the caller's
  signal(SIGTERM, before);
}

} // namespace

TEST_CASE("handlers that are set apart are not those of the process, which gets its signals") {
  const Catching term(SIGTERM);
  Seen seen;
  REQUIRE(runApart(takeOverTerm, &seen) == Apart::ended);
  CHECK(seen.process != 0);
  CHECK(seen.process != getpid());
  CHECK(seen.isHandlerOurs);
  CHECK(term.isWhole());
  CHECK(caught == SIGTERM);
}

TEST_CASE("work apart leaves no child, no SIGCHLD and the mask of signals as it was") {
  const Catching child(SIGCHLD);
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  CHECK(runApart([](void *) {}, nullptr) == Apart::ended);
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < SIGRTMIN; ++signal)
    CHECK(sigismember(&before, signal) == sigismember(&after, signal));
  CHECK(caught == 0);
  CHECK(waitpid(-1, nullptr, __WALL | WNOHANG) == -1);
  CHECK(errno == ECHILD);
}

// Makes clone() fail, as the rules of a sandbox do.
static bool forbidClone() {
  sock_filter code[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_clone},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const sock_fprog program = {4, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_CASE("where no process can be started, the handlers are whole after the work all the same") {
  const pid_t child = fork();
  if (child == 0) {
    if (!forbidClone())
      _exit(77);
    const Catching term(SIGTERM);
    Seen seen;
    const bool hasEnded = runApart(takeOverTerm, &seen) == Apart::ended;
    _exit(hasEnded && seen.process == getpid() && term.isWhole() && caught == SIGTERM ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    MESSAGE("skipped: no filter of system calls can be set here");
  else
    CHECK(status == 0);
}

TEST_CASE("work that is killed is told of, and does not end the process") {
  CHECK(runApart([](void *) { kill(getpid(), SIGKILL); }, nullptr) == Apart::died);
  CHECK(runApart([](void *) {}, nullptr) == Apart::ended);
}
