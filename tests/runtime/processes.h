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

// The exit status; 128 if it was killed.
inline int endOf(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

// 0, or the number of the first step that is wrong. A call that waits for good is ended by a
// signal.
inline int firstWrong(std::initializer_list<std::function<bool()>> steps) {
  alarm(600);
  int number = 0;
  for (const auto &step : steps)
    if (++number; !step())
      return number;
  return 0;
}

} // namespace specmv::testing
