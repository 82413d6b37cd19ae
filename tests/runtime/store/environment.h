// Variables of the environment for one scope, as tests of the caches need them.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

// Sets variables of the environment ("" unsets) until the end of the scope.
class Environment {
public:
  explicit Environment(const std::vector<std::pair<std::string, std::string>> &variables) {
    for (const auto &[name, value] : variables) {
      const char *old = std::getenv(name.c_str());
      before_.emplace_back(name, old ? old : "");
      set(name, value);
    }
  }
  Environment(const Environment &) = delete;
  Environment &operator=(const Environment &) = delete;
  ~Environment() {
    for (const auto &[name, value] : before_)
      set(name, value);
  }

private:
  static void set(const std::string &name, const std::string &value) {
    if (value.empty())
      unsetenv(name.c_str());
    else
      setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<std::pair<std::string, std::string>> before_;
};
