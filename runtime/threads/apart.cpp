// Starts the process with clone(2), as posix_spawn() does: it shares the memory, and the thread
// that started it is suspended until it has ended. Handlers belong to a process, so those that the
// work sets are not those of the caller.
#include "runtime/threads/apart.h"

#include "models/base/files.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <sched.h>
#include <sys/wait.h>

namespace specmv {

// glibc's clone() by its other name: ThreadSanitizer replaces the first, and ends a process in
// which clone() shares the memory.
extern "C" int specmvClone(int (*f)(void *), void *stack, int flags, void *data,
                           ...) __asm__("__clone");

namespace {
struct Work {
  void (*run)(void *);
  void *data;
  bool isDone = false;
};
} // namespace

static int runWork(void *argument) {
  Work *work = static_cast<Work *>(argument);
  work->run(work->data);
  work->isDone = true;
  return 0;
}

// The work may put back a handler with signal(), which loses the flags and the mask. Another
// handler than before is one that the program has set meanwhile.
static void runHere(Work &work) {
  std::array<struct sigaction, NSIG> before{};
  for (int signal = 1; signal < NSIG; ++signal)
    sigaction(signal, nullptr, &before[static_cast<size_t>(signal)]);
  runWork(&work);
  for (int signal = 1; signal < NSIG; ++signal) {
    const struct sigaction &was = before[static_cast<size_t>(signal)];
    struct sigaction now = {};
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == was.sa_handler)
      sigaction(signal, &was, nullptr);
  }
}

// Returns true if the process was killed. Its parent gets no SIGCHLD, and only a wait with __WCLONE
// or __WALL finds it. If another thread waits for all processes that way, nothing is known.
static bool isKilled(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, __WCLONE) < 0)
    if (errno != EINTR)
      return false;
  return WIFSIGNALED(status);
}

// The stack is a part of this thread's own, since sanitizers know its bounds. Valgrind accepts
// these flags only, and copies the memory, so that the work is not done.
Apart runApart(void (*work)(void *), void *data) {
  constexpr size_t kStack = size_t{64} << 10; // measured: NVRTC 12.6 to 13.5 take 28 to 35 KB
  alignas(16) std::byte stack[kStack];
  const SignalsBlocked blocked;
  Work all{work, data};
  const pid_t process = specmvClone(runWork, stack + kStack, CLONE_VM | CLONE_VFORK, &all);
  if (process > 0 && isKilled(process))
    return Apart::died;
  if (!all.isDone)
    runHere(all);
  return Apart::ended;
}

} // namespace specmv
