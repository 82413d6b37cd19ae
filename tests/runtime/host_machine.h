// A machine without a GPU that keeps its cache in a given directory and plans for an H200.
#pragma once

#include "runtime/cuda/nvrtc.h"
#include "runtime/machine.h"
#include "tests/generator/edge_matrices.h"

#include <doctest/doctest.h>

#include <string>

namespace specmv::testing {

inline Machine hostMachine(const std::string &directory) {
  return {.gpu = nullptr,
          .whyHost = "the target is the host",
          .model = h200(),
          .arch = "sm_90",
          .cache = Cache({}, directory)};
}

// Reports that a test is skipped if nothing can be compiled.
inline bool noNvrtc() {
  auto numbers = nvrtcArchitectures();
  if (numbers)
    return false;
  MESSAGE("skipped: " << describe(numbers.takeError()).second);
  return true;
}

} // namespace specmv::testing
