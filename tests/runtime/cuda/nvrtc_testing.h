// The list of architectures for which NVRTC can compile here, shared by the tests of compilation.
#pragma once

#include "runtime/cuda/nvrtc.h"

#include "models/base/error.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace specmv::testing {

// Returns the architectures that NVRTC knows; none, after a message, if there is no NVRTC.
inline std::vector<std::string> architectures() {
  auto numbers = nvrtcArchitectures();
  if (!numbers) {
    MESSAGE("skipped: " << describe(numbers.takeError()).second);
    return {};
  }
  std::vector<std::string> out;
  for (int number : *numbers)
    out.push_back("sm_" + std::to_string(number));
  return out;
}

} // namespace specmv::testing
