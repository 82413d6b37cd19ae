// Runs one test case of this program in its own process, for behaviour that needs a fresh process
// or may end it.
#pragma once

#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

// Starts the test case, marked doctest::skip() so that it does not run otherwise, with these
// variables in its environment; its output goes to `output`. Returns 0 if it passed, the exit
// status if it failed, or minus the signal that ended it.
inline int runAlone(const std::string &testCase,
                    const std::vector<std::pair<std::string, std::string>> &environment,
                    const std::string &output) {
  const pid_t child = fork();
  if (child == 0) {
    for (const auto &[name, value] : environment)
      setenv(name.c_str(), value.c_str(), 1);
    const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, 1);
    dup2(file, 2);
    const std::string filter = "--test-case=" + testCase;
    execl("/proc/self/exe", "test", "--no-skip", filter.c_str(), static_cast<char *>(nullptr));
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return 126;
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}
