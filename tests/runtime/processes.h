// Processes of a test that run one function.
#pragma once

#include <functional>
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

} // namespace specmv::testing
