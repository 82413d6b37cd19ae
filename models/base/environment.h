// The only place that reads environment variables.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace specmv {

// Returns nullopt if the variable is unset, and always in a program that runs with more rights than
// the user who started it (setuid, file capabilities). The environment of that user must not decide
// where machine code is loaded from or where files are written.
inline std::optional<std::string> environmentIfSet(const char *name) {
  const char *value = secure_getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

// Returns "" if the variable is unset.
inline std::string environment(const char *name) { return environmentIfSet(name).value_or(""); }

} // namespace specmv
