// The one place that reads variables of the environment.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace specmv {

// nullopt if it is unset, and always in a program that has more rights than who started it (setuid,
// file capabilities): its environment is not to say where machine code is loaded from or files are
// written.
inline std::optional<std::string> environmentIfSet(const char *name) {
  const char *value = secure_getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

// The same with "" for unset.
inline std::string environment(const char *name) { return environmentIfSet(name).value_or(""); }

} // namespace specmv
