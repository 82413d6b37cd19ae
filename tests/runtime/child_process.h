// Runs one test case of this program in its own process, for behaviour that needs a fresh process
// or may end it.
#pragma once

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

// doctest takes a comma in a filter for its end, unless a backslash stands before it.
inline std::string filterFor(const std::string &testCase) {
  std::string filter = "--test-case=";
  for (const char c : testCase)
    filter += c == ',' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return filter;
}

// Returns true if doctest's summary in this file says that no test case ran.
inline bool ranNothing(const std::string &output) {
  std::ifstream file(output);
  const std::string ofCount = "test cases:";
  for (std::string line; std::getline(file, line);)
    if (const size_t at = line.find(ofCount); at != std::string::npos)
      return std::atoi(line.c_str() + at + ofCount.size()) == 0;
  return false; // the test case has ended the process
}

// Starts the test case, marked doctest::skip() so that it does not run otherwise, with these
// variables in its environment; its output goes to `output`. Returns 0 if it passed, 125 if there
// is no such test case, the exit status if it failed, or minus the signal that ended it.
inline int runAlone(const std::string &testCase,
                    const std::vector<std::pair<std::string, std::string>> &environment,
                    const std::string &output) {
  const pid_t child = fork();
  if (child == 0) {
    for (const auto &[name, value] : environment)
      setenv(name.c_str(), value.c_str(), 1);
    // A process that is ended removes no folders; the parent removes that of the output.
    setenv("TMPDIR", std::filesystem::path(output).parent_path().c_str(), 1);
    const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, 1);
    dup2(file, 2);
    const std::string filter = filterFor(testCase);
    execl("/proc/self/exe", "test", "--no-skip", filter.c_str(), static_cast<char *>(nullptr));
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return 126;
  if (WIFSIGNALED(status))
    return -WTERMSIG(status);
  return status == 0 && ranNothing(output) ? 125 : WEXITSTATUS(status);
}
