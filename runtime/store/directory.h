// Explains why a directory that the environment names cannot be read.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>
#include <unistd.h>

namespace specmv {

// Returns a reason such as "PATH: No such file or directory"; empty if the directory can be read.
inline std::string whyNotReadable(const std::string &directory) {
  if (access((directory + "/.").c_str(), R_OK | X_OK) == 0)
    return "";
  return directory + ": " + std::generic_category().message(errno);
}

} // namespace specmv
