// What to launch for one product: data that runtime/execute and the host executor run in order.
#pragma once

#include "generator/layout.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace specmv {

// What a kernel parameter is bound to.
enum class Binding : uint8_t {
  array,   // an array of the layout, by name, read only
  scratch, // a scratch array of the layout, by name
  x,       // cols values
  y,       // rows values
  alpha,   // by value, in the problem's type
  beta,    // by value, in the problem's type
  integer, // by value: a number of the layout, by name, or rows / cols
};

// One parameter of a kernel: its name is the field of the template's argument struct.
struct Argument {
  std::string name;
  Binding binding;
  ElementType type;        // of the element for pointers, of the value otherwise
  std::string source = {}; // the name in the layout, where that differs

  const std::string &layoutName() const { return source.empty() ? name : source; }
};

struct Launch {
  std::string kernel;
  std::array<uint32_t, 3> grid{1, 1, 1};
  uint32_t blockThreads = 0;
  std::vector<Argument> arguments;
};

using Steps = std::vector<Launch>;

} // namespace specmv
