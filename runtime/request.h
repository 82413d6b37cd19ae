// What is asked of specmv: a problem, what is prescribed of its plan, and how the plan is chosen.
#pragma once

#include "generator/format.h"

#include <string>
#include <vector>

namespace specmv {

enum class Rigor {
  estimate,   // the plan with the least predicted time
  measure,    // the fastest of the best predicted plan of each format and the best few over all
  exhaustive, // the fastest of all plans
};

struct Request {
  Problem problem;
  Rigor rigor = Rigor::estimate;
  std::vector<std::string> formats; // empty: all
  Fixed fixed;
};

} // namespace specmv
