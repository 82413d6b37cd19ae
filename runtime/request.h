// A request: the problem, what the caller prescribes of the plan, and how the plan is chosen.
#pragma once

#include "generator/format.h"

#include <string>
#include <vector>

namespace specmv {

// "f64 beta", or "f64 beta=0" if beta is never anything else.
inline std::string problemText(const Problem &problem) {
  return std::string(nameOf(problem.type)) + (problem.betaCanBeNonZero ? " beta" : " beta=0");
}

enum class Rigor {
  estimate,   // the plan with the least predicted time
  measure,    // measures the best predicted plan of each format and the best few of all plans
  exhaustive, // measures all plans
};

struct Request {
  Problem problem;
  Rigor rigor = Rigor::estimate;
  std::vector<std::string> formats; // empty: all
  Fixed fixed;
  // If not 0, so many products are expected, and an estimate weighs each plan's set-up against
  // them.
  int64_t expectedProducts = 0;
  bool csrIsLent = false; // plans may read the arrays of the matrix, which are on the GPU

  bool weighsSetup() const { return expectedProducts > 0 && rigor == Rigor::estimate; }
};

} // namespace specmv
