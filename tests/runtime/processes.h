// Processes of a test that run one function.
#pragma once

#include <functional>
#include <initializer_list>
#include <sys/wait.h>
#include <unistd.h>

namespace specmv::testing {

inline pid_t startProcess(const std::function<int()> &f) {
  const pid_t child = fork();
  if (child == 0)
    _exit(f());
  return child;
}

// Returns the exit status; 128 if the process was killed.
inline int endOf(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

// Returns 0, or the number of the first wrong step. A signal ends a call that waits forever.
inline int firstWrong(std::initializer_list<std::function<bool()>> steps) {
  alarm(600);
  int number = 0;
  for (const auto &step : steps)
    if (++number; !step())
      return number;
  return 0;
}

} // namespace specmv::testing
