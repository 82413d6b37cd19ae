// Functions with which tests examine a text: an error message, a source, the output of a program.
#pragma once

#include <string>
#include <string_view>

namespace specmv::testing {

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

// Whether the format of cuSPARSE is one of its experimental products, which older versions lack.
inline bool isExperimental(std::string_view format) {
  return format.rfind("cusparse-op", 0) == 0 || format.rfind("cusparse-generic", 0) == 0;
}

} // namespace specmv::testing
