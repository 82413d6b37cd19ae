// Functions with which tests examine a text: an error message, a source, the output of a program.
#pragma once

#include <string>

namespace specmv::testing {

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace specmv::testing
