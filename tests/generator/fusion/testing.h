// Fused steps to be changed by tests, and why a step is refused.
#pragma once

#include "generator/fusion/fusion.h"
#include "models/base/error.h"

#include <doctest/doctest.h>

namespace specmv::testing {

// q = A p.
inline Fusion plainStep() {
  return {.x = "p", .statements = "q = ax;", .vectors = {"p", "q"}, .written = {"q"}};
}

// Why a step is refused; "" if it is not.
inline std::string whyNot(const Fusion &fusion) {
  llvm::Error error = checkFusion(fusion);
  if (!error)
    return "";
  auto [status, sentence] = describe(std::move(error));
  CHECK((status == Status::badCall));
  return sentence;
}

} // namespace specmv::testing
