// What tests ask of a text: a sentence of an error, a source, the output of a program.
#pragma once

#include <string>

namespace specmv::testing {

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace specmv::testing
