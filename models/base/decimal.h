// Writes doubles as text.
#pragma once

#include <charconv>
#include <string>

namespace specmv {

// The shortest decimal text that reads back as the same double, with a point in every locale.
inline std::string decimalText(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

} // namespace specmv
