// Builds the few plans that are compared with the choice in the program's own products.
#pragma once

#include "runtime/plan/realize.h"

#include <vector>

namespace specmv {

struct Rivals {
  std::vector<BuiltChoice> plans = {};
  bool mayCompare = false; // plans can be compared with the choice, if there are any
  bool areAll = true;      // false: some that are worth comparing were left out
};

// Builds the best plans of two other formats that are predicted to be nearly as fast as the choice.
// They are packed on the GPU. Where set-ups do not wait for the compiler (KernelKind::atHand), a
// plan whose kernels are not at hand is left out, and they are compiled for a later set-up. All
// together stay within the request's limit of bytes. There are none if the choice was not made by
// prediction, for products with several vectors or in fused steps, and for products so short that
// the GPU would wait for a host that times them. Call it before the session's ranking is taken.
llvm::Expected<Rivals> rivalsToLearn(Session &session, const BuiltChoice &made);

} // namespace specmv
